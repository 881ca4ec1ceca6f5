import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSettings } from '../../local/settings.ts';
import { openWorkerRequests } from '../../local/worker-requests.ts';
import { useDatabase } from '../support/database.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { stop, waitForService } from './service-actions.ts';
import { useServices, waitFor } from './service-process.ts';

describe('a tick of npm start', () => {
  const database = useDatabase();
  const { startService } = useServices();
  const target = useHttpTarget();

  it('continues by continuation messages when its time budget is spent', async () => {
    target().answer = (_, response) => setTimeout(() => response.end(), 50);
    const route = { target: { kind: 'http', url: target().url }, policy: { concurrency: 1 } };
    const service = startService({
      DATABASE_URL: database().url,
      RETRY_EVERY_SECONDS: '0',
      TICK_BUDGET_SECONDS: '1',
      WORKERS: '1',
      ROUTES: JSON.stringify([route]),
    });
    const { url } = await waitForService(service);
    const reports = Array.from({ length: 40 }, (_, n) => ({
      eventType: 'order.placed',
      payload: { n },
      error: 'timeout',
    }));
    for (const report of reports) {
      await fetch(`${url}/capture`, { method: 'POST', body: JSON.stringify(report) });
    }

    const tick = await fetch(`${url}/retry`, { method: 'POST' });
    assert.equal(((await tick.json()) as { stopped: string }).stopped, 'time budget spent');
    await waitFor('all deliveries', () => target().received.length === 40);
    await stop(service);
  });

  it('requests no workers if a route publishes to Pub/Sub, which the stand-in would replace', async () => {
    const route = { target: { kind: 'pubsub', topic: 'projects/acme/topics/orders' } };
    const { env } = await openWorkerRequests(readSettings({ ROUTES: JSON.stringify([route]) }), 'http://h/');
    assert.deepEqual(env, {});
  });
});
