import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runJobs } from '../../../functions/maintain/maintain.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useFunction } from '../../support/framework.ts';
import { readMetrics } from '../../support/read-metrics.ts';
import { retention } from '../../support/retention.ts';

describe('maintain', () => {
  const database = useDatabase();
  const served = useFunction('maintain', () => ({ DATABASE_URL: database().url }));
  const lines = () =>
    served()
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{"severity"'))
      .map((line) => JSON.parse(line));

  it('shows the metrics, and logs them', async () => {
    await anEvent(database(), { event_type: 'order.shown', fingerprint: null });
    const response = await fetch(`${served().url}metrics`);

    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    const metrics = readMetrics(await response.text());
    assert.equal(metrics.get('dead_letter_total{event_type="order.shown"}'), 1);
    const line = lines().findLast(({ action }) => action === 'metrics');
    assert.deepEqual([line.depth_pending, line.unrouted_events, line.captured_24h], [1, 1, 1]);
    for (const name of [
      'oldest_pending_seconds',
      'failed_permanently_24h',
      'stuck_events',
      'breakers_open',
    ]) {
      assert.equal(typeof line[name], 'number', name);
    }
  });

  it('runs its jobs at any time, and answers what each did', async () => {
    await anEvent(database(), { fingerprint: null });
    const postJobs = async () => {
      const response = await fetch(served().url, { method: 'POST' });
      assert.equal(response.status, 200);
      return (await response.json()) as { jobs: Record<string, Record<string, number>> };
    };

    assert.equal((await postJobs()).jobs.refresh?.fingerprinted, 1);
    assert.equal((await postJobs()).jobs.refresh?.fingerprinted, 0);
    const line = lines().findLast(({ action }) => action === 'maintain');
    assert.deepEqual([line.severity, line.message], ['INFO', 'all jobs done']);
  });

  it('rejects other methods', async () => {
    assert.equal((await fetch(served().url)).status, 405);
    assert.equal((await fetch(`${served().url}metrics`, { method: 'DELETE' })).status, 405);
  });
});

describe('the jobs of maintain', () => {
  const database = useDatabase();

  it('run one after another, and a job that fails stops no other', async () => {
    const order: string[] = [];
    const done = await runJobs(
      { db: database().db, routes: [], retention },
      {
        first: async () => {
          order.push('first');
          throw new Error('no disk');
        },
        second: async () => {
          order.push('second');
          return { moved: 3 };
        },
      },
    );

    assert.deepEqual(order, ['first', 'second']);
    assert.deepEqual(done, { first: { failed: 'no disk' }, second: { moved: 3 } });
  });
});
