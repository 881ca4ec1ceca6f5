import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runSteps } from '../../../functions/maintain/maintain.ts';
import { report } from '../../../functions/maintain/metrics.ts';
import type { Query } from '../../../shared/database/database.ts';
import { jobNames } from '../../../shared/jobs/jobs.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useFunction } from '../../support/framework.ts';
import { readMetrics } from '../../support/read-metrics.ts';
import { retention } from '../../support/retention.ts';
import { retryConfig } from '../../support/routes.ts';

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

  it('waits for no statement of the metrics longer than a scrape waits for all of them', async () => {
    const { db } = database();
    const deadlines: number[] = [];
    const query = <Row>(asked: Query) => {
      deadlines.push(asked.deadlineMs ?? Number.POSITIVE_INFINITY);
      return db.query<Row>(asked);
    };
    await report({ db: { ...db, query }, routes: [] });
    assert.ok(Math.max(...deadlines) < 10_000, `${deadlines}`);
  });

  const post = async (path: string) => {
    const response = await fetch(new URL(path, served().url), { method: 'POST' });
    const body = (await response.json()) as { jobs: Record<string, Record<string, Record<string, number>>> };
    return { status: response.status, ...body };
  };

  it('runs a job by its name at any time, and answers what each step did', async () => {
    await anEvent(database(), { fingerprint: null });

    const { status, jobs } = await post('/archive');
    assert.deepEqual([status, Object.keys(jobs)], [200, ['archive']]);
    assert.equal(jobs.archive?.refresh?.fingerprinted, 1);
    assert.equal((await post('/archive')).jobs.archive?.refresh?.fingerprinted, 0);
    const line = lines().findLast(({ action }) => action === 'maintain');
    assert.deepEqual([line.severity, line.message], ['INFO', 'job archive done']);
  });

  it('runs all jobs without a name, and records when each was complete', async () => {
    const { jobs } = await post('/');

    assert.deepEqual(Object.keys(jobs), jobNames);
    const recorded = await database().sql<{ name: string }>(
      'select name from dlq_jobs where completed_at is not null',
    );
    assert.deepEqual(recorded.map(({ name }) => name).sort(), jobNames.toSorted());
  });

  it('knows no job of another name', async () => {
    assert.equal((await post('/backup')).status, 404);
  });

  it('rejects other methods', async () => {
    assert.equal((await fetch(served().url)).status, 405);
    assert.equal((await fetch(`${served().url}metrics`, { method: 'DELETE' })).status, 405);
  });
});

describe('the steps of a job', () => {
  const database = useDatabase();

  it('run one after another, and one that fails stops no other', async () => {
    const order: string[] = [];
    const done = await runSteps(
      { db: database().db, routes: [], retry: retryConfig(), retention },
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
      Number.POSITIVE_INFINITY,
    );

    assert.deepEqual(order, ['first', 'second']);
    assert.deepEqual(done, { first: { failed: 'no disk' }, second: { moved: 3 } });
  });
});
