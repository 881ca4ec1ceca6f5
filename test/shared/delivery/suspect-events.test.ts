import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { readMessages } from '../../../shared/delivery/messages.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, progressOf } from '../../support/runs.ts';
import { waitUntil } from '../../support/wait-until.ts';

const leaseToken = '00000000-0000-4000-8000-000000000000';

describe('an event that was in flight when its workers disappeared', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const tick = () =>
    runTick({
      db: database().db,
      retry: retryConfig({ leaseSeconds: 300 }),
      routes: [aRouteTo(target().url)],
    });
  const count = async (status: string) => {
    const [row] = await database().sql<{ events: number }>(
      'select count(*)::int as events from dlq_events where status = $1',
      [status],
    );
    return row?.events;
  };
  beforeEach(() => database().clear());

  const anEventLost = async (times: number) => {
    const lease = { status: 'PROCESSING', lease_token: leaseToken, lease_expires_at: '2026-01-02' };
    const id = await anEvent(database(), {
      ...lease,
      event_type: 'suspect',
      retry_count: times - 1,
      delivery_count: times,
      answer: times > 1 ? 'The worker disappeared before it could settle.' : null,
    });
    const events = [{ id, leaseToken, target: 'x' }];
    await readMessages(database().db, { events, maxBytes: 2 ** 15, maxTotal: 2 ** 20 });
    await database().sql(
      `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms)
       select $1, number, 'lost', 'x', now(), 1 from generate_series(1, $2::int) as number`,
      [id, times - 1],
    );
  };
  /** Answers each request after the number of delivered events was read, and returns these numbers. */
  const countWhileDelivering = () => {
    const counts: unknown[] = [];
    target().answer = async (_, response) => {
      counts.push(await count('SUCCEEDED'));
      response.end();
    };
    return counts;
  };

  it('twice, is delivered alone, after all others of its worker are settled', async () => {
    for (let i = 0; i < 3; i++) await anEventLost(2);
    await manyEvents(database(), 20);
    const counts = countWhileDelivering();
    const { tally } = await tick();
    assert.deepEqual([tally.lost, tally.delivered], [3, 23]);
    assert.deepEqual(counts.slice(-3), [20, 21, 22]);
  });

  it('of a replay twice, is delivered alone, after all others of its worker are settled', async () => {
    await manyEvents(database(), 23);
    const run = await aRun({ db: database().db, routes: [aRouteTo(target().url)] });
    const answer = 'The worker disappeared again before it could settle.';
    await database().sql(
      'update dlq_events set answer = $1 where id in (select id from dlq_events order by id limit 3)',
      [answer],
    );
    const counts = countWhileDelivering();
    const deps = {
      db: database().db,
      retry: retryConfig({ leaseSeconds: 300 }),
      routes: [aRouteTo(target().url)],
    };
    await workOnReplay(deps, run.id, { endsAt: Date.now() + 20_000 });
    assert.deepEqual(counts.slice(-3), [20, 21, 22]);
    assert.equal((await progressOf(database(), run.id)).delivered, 23);
  });

  it('once, is delivered beside others', async () => {
    for (let i = 0; i < 3; i++) await anEventLost(1);
    target().answer = async (_, response) => {
      await waitUntil('the target has all of them', () => target().received.length === 3);
      response.end();
    };
    assert.equal((await tick()).tally.delivered, 3);
  });

  it('twice, is released at no cost if its process ends before its turn', async () => {
    for (let i = 0; i < 2; i++) await anEventLost(2);
    const stopping = new AbortController();
    target().answer = (_, response) => {
      stopping.abort();
      response.end();
    };
    const shutdown = { stopping: stopping.signal, ending: new AbortController().signal };
    const deps = {
      db: database().db,
      retry: retryConfig({ leaseSeconds: 300 }),
      routes: [aRouteTo(target().url)],
      shutdown,
    };
    const { tally } = await runTick(deps);
    assert.deepEqual([tally.delivered, tally.released, await count('PENDING')], [1, 1, 1]);
    assert.equal(target().received.length, 1);
  });
});
