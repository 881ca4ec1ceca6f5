import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openContinuation } from '../../local/continuation.ts';
import { readSettings } from '../../local/settings.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { close, waitForOffice } from './office-acts.ts';
import { useOffices, waitFor } from './office-process.ts';

describe('a tick of a local office', () => {
  const { startOffice } = useOffices();
  const target = useHttpTarget();

  it('goes on by continuation messages when its time is spent', async () => {
    target().answer = (_, response) => setTimeout(() => response.end(), 50);
    const route = { target: { kind: 'http', url: target().url }, policy: { concurrency: 1 } };
    const office = startOffice({
      RETRY_EVERY_SECONDS: '0',
      TICK_BUDGET_SECONDS: '1',
      WORKERS: '1',
      ROUTES: JSON.stringify([route]),
    });
    const { url } = await waitForOffice(office);
    const reports = Array.from({ length: 40 }, (_, n) => ({ eventType: 'order.placed', payload: { n } }));
    for (const report of reports) {
      await fetch(`${url}/capture`, { method: 'POST', body: JSON.stringify(report) });
    }

    const tick = await fetch(`${url}/retry`, { method: 'POST' });
    assert.equal(((await tick.json()) as { stopped: string }).stopped, 'time budget spent');
    await waitFor('all to be delivered', () => target().received.length === 40);
    await close(office);
  });

  it('works alone where the office would take what the routes of its person publish', async () => {
    const route = { target: { kind: 'pubsub', topic: 'projects/acme/topics/orders' } };
    const { env } = await openContinuation(readSettings({ ROUTES: JSON.stringify([route]) }), 'http://h/');
    assert.deepEqual(env, {});
  });
});
