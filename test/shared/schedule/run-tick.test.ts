import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { DeliveryDeps } from '../../../shared/delivery/delivery-deps.ts';
import { emptyTally, type Tally } from '../../../shared/delivery/tally.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { type Answer, useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

const backoff = { baseSeconds: 600, jitter: 'none' } as const;
const answer =
  (status: number): Answer =>
  (_, response) =>
    response.writeHead(status).end();

describe('a retry tick', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const tick = (more: Partial<DeliveryDeps> = {}) => {
    const routes = [aRouteTo(target().url, { policy: { backoff } })];
    return runTick({ db: database().db, retry: retryConfig({ maxRetries: 3 }), routes, ...more });
  };
  const read = async (columns: string) =>
    await database().sql(`select ${columns} from dlq_events order by id`);
  const tallyOf = (counts: Partial<Tally>): Tally => ({ ...emptyTally(), ...counts });

  it('makes a delivered event SUCCEEDED at once and writes its attempt', async () => {
    const id = await anEvent(database());
    const { tally, runId } = await tick();

    assert.deepEqual(tally, tallyOf({ claimed: 1, delivered: 1 }));
    assert.deepEqual(await read('status, retry_count'), [{ status: 'SUCCEEDED', retry_count: 0 }]);
    const attempts =
      'select event_id, run_id, number, outcome, target, response_status, response_body from dlq_attempts';
    const [attempt] = await database().sql(attempts);
    const answered = { target: target().url, response_status: 200, response_body: 'ok' };
    assert.deepEqual(attempt, { event_id: id, run_id: runId, number: 1, outcome: 'delivered', ...answered });
  });

  it('returns an event with a transient failure to PENDING for its backoff', async () => {
    target().answer = answer(503);
    await anEvent(database());
    const { tally } = await tick();

    assert.deepEqual(tally, tallyOf({ claimed: 1, transient: 1 }));
    assert.deepEqual(
      await read('status, retry_count, failure_kind, (retry_after - updated_at)::text as wait'),
      [{ status: 'PENDING', retry_count: 1, failure_kind: 'transient', wait: '00:10:00' }],
    );
  });

  it('fails an event permanently that its target can never accept', async () => {
    target().answer = answer(422);
    await anEvent(database());
    const { tally } = await tick();

    assert.deepEqual(tally, tallyOf({ claimed: 1, permanent: 1, failedPermanently: 1 }));
    assert.deepEqual(await read('status, failure_kind'), [
      { status: 'FAILED_PERMANENTLY', failure_kind: 'permanent' },
    ]);
  });

  it('fails an event permanently with its last retry', async () => {
    target().answer = answer(503);
    for (const retry_count of [1, 2]) await anEvent(database(), { retry_count });
    const { tally } = await tick();

    assert.deepEqual(tally, tallyOf({ claimed: 2, transient: 2, failedPermanently: 1 }));
    assert.deepEqual(await read('status, retry_count'), [
      { status: 'PENDING', retry_count: 2 },
      { status: 'FAILED_PERMANENTLY', retry_count: 3 },
    ]);
  });

  it('respects the retry limit of the event itself', async () => {
    target().answer = answer(503);
    await anEvent(database(), { max_retries: 1 });
    await anEvent(database(), { max_retries: 9, retry_count: 7 });
    await tick();

    assert.deepEqual(await read('status'), [{ status: 'FAILED_PERMANENTLY' }, { status: 'PENDING' }]);
  });

  it('does not change an event without a route, and counts it', async () => {
    for (const event_type of ['invoice.created', 'invoice.paid']) await anEvent(database(), { event_type });
    const before = await read('*');
    const { tally, unrouted } = await tick({
      routes: [aRouteTo(target().url, { match: { eventType: 'order.*' } })],
    });

    assert.deepEqual([tally, unrouted], [emptyTally(), 2]);
    assert.deepEqual(await read('*'), before);
  });

  it('sends the number of the attempt to the target', async () => {
    await anEvent(database(), { delivery_count: 4, failed_delivery: 4, retry_count: 0 });
    await tick();

    assert.equal(target().received[0]?.headers['dlo-attempt'], '5');
  });

  it('delivers an event that was inserted by plain SQL', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload) values ('order.created', '{"a": 1.10}')`,
    );
    await tick();

    assert.equal(String(target().received[0]?.body), '{"a": 1.10}');
  });

  it('is recorded as a run with start, end and tally', async () => {
    await anEvent(database());
    const { runId, tally } = await tick();

    const columns = 'id, trigger, stopped, tally, ended_at >= started_at as has_ended';
    const run = { trigger: 'schedule', stopped: 'nothing due', tally, has_ended: true };
    assert.deepEqual(await database().sql(`select ${columns} from dlq_runs`), [{ id: runId, ...run }]);
  });
});
