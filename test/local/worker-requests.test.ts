import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { waitUntil } from '../support/wait-until.ts';
import { stop, waitForService } from './service-actions.ts';
import { useServices } from './service-process.ts';

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
    await waitUntil('all deliveries', () => target().received.length === 40);
    await stop(service);
  });
});
