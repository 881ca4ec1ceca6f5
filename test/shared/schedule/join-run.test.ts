import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, it } from 'node:test';
import type { RetryConfig } from '../../../shared/config/retry.ts';
import type { Tally } from '../../../shared/delivery/tally.ts';
import { joinRun, runTick, type TickDone } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { usePubSubTarget } from '../../support/pubsub-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { endLeases } from '../../support/runs.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a tick with several workers', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const pubsub = usePubSubTarget();
  beforeEach(() => database().clear());
  /** Half of the concurrency is in flight until the target answers. */
  const deps = (settings: Partial<RetryConfig> = {}, policy: object = { concurrency: 20 }) => ({
    db: database().db,
    retry: retryConfig({ workers: 4, continueTopic: pubsub().topic, batchSize: 10, ...settings }),
    routes: [aRouteTo(target().url, { policy })],
  });
  const requestedRuns = () =>
    pubsub()
      .messages()
      .map(({ data }) => JSON.parse(data.toString()).runId);
  const runs = () =>
    database().sql<{ id: string; stopped: string | null; tally: Tally }>(
      'select id, stopped, tally from dlq_runs',
    );
  const count = async (status: string) =>
    (await database().sql('select from dlq_events where status = $1', [status])).length;
  /** Holds the responses of the target until the returned function is called. */
  const holdAnswers = () => {
    const held: ServerResponse[] = [];
    target().answer = (_, response) => void held.push(response);
    return {
      held,
      release() {
        target().answer = (_, response) => response.end();
        for (const response of held) response.end();
      },
    };
  };

  it('requests none for events that fit into one batch', async () => {
    await manyEvents(database(), 10);
    await runTick(deps());
    assert.deepEqual(requestedRuns(), []);
  });

  it('requests one per further batch, up to WORKERS, for its own run', async () => {
    await manyEvents(database(), 200);
    const { runId } = await runTick(deps());
    assert.deepEqual(requestedRuns(), [runId, runId, runId]);
  });

  it('requests none if its target is down', async () => {
    await manyEvents(database(), 200);
    target().answer = (_, response) => response.writeHead(503).end();
    await runTick(deps());
    assert.deepEqual(requestedRuns(), []);
  });

  it('works alone without a topic for requests', async () => {
    await manyEvents(database(), 200);
    const { tally, stopped } = await runTick(deps({ continueTopic: undefined, workers: 1 }));
    assert.deepEqual([tally.delivered, stopped, requestedRuns()], [200, 'nothing due', []]);
  });

  it('is one run with one tally, closed by the last worker', async () => {
    await manyEvents(database(), 100);
    const answers = holdAnswers();
    const first = runTick(deps({ batchSize: 20 }));
    await waitUntil('the first worker delivers', () => answers.held.length === 10);
    const [{ id } = { id: '' }] = await runs();
    const second = joinRun(deps({ batchSize: 20 }), id);
    await waitUntil('the second worker delivers', () => answers.held.length === 20);
    answers.release();

    const worked = [await first, (await second) as TickDone];
    const delivered = worked.map((each) => each.tally.delivered);
    assert.ok(
      delivered.every((events) => events >= 20),
      `${delivered}`,
    );
    const last = worked.filter(({ run }) => run);
    assert.deepEqual([last.length, last[0]?.run?.tally.delivered], [1, 100]);
    assert.deepEqual(await runs(), [{ id, stopped: 'nothing due', tally: last[0]?.run?.tally }]);
  });

  it('hands over to further workers when its time is spent, until all events are delivered', async () => {
    await manyEvents(database(), 300);
    const short = deps({ tickBudgetSeconds: 0.05, workers: 1 });
    const { runId, stopped } = await runTick(short);
    assert.equal(stopped, 'time budget spent');
    assert.deepEqual(
      (await runs()).map((run) => run.stopped),
      [null],
    );

    let links = 0;
    // Each has more time than the one before, however slow the machine is.
    for (let tickBudgetSeconds = 0.05; (await runs())[0]?.stopped === null; tickBudgetSeconds *= 2) {
      await joinRun(deps({ tickBudgetSeconds, workers: 1 }), requestedRuns()[links++]);
    }
    assert.ok(links > 0);
    assert.equal(requestedRuns().length, links);
    const [run] = await runs();
    assert.deepEqual([run?.id, run?.tally.delivered], [runId, 300]);
  });

  it('claims up to MAX_EVENTS_PER_TICK events with all workers together', async () => {
    await manyEvents(database(), 200);
    const limited = deps({ maxEventsPerTick: 70 });
    const answers = holdAnswers();
    const first = runTick(limited);
    await waitUntil('the first worker delivers', () => answers.held.length === 10);
    const [{ id } = { id: '' }] = await runs();
    const others = [1, 2, 3].map(() => joinRun(limited, id));
    await waitUntil('all workers deliver', () => answers.held.length === 40);
    answers.release();
    await Promise.all([first, ...others]);
    assert.deepEqual([await count('SUCCEEDED'), target().received.length], [70, 70]);
    assert.equal((await runs())[0]?.stopped, 'event limit reached');
  });

  it('respects the rate of a route with all workers together', async () => {
    await manyEvents(database(), 40);
    const slow = deps({}, { ratePerSecond: 20 });
    const startedAt = Date.now();
    const first = runTick(slow);
    await waitUntil('the first worker delivers', () => target().received.length > 0);
    const [{ id } = { id: '' }] = await runs();
    await Promise.all([first, joinRun(slow, id), joinRun(slow, id)]);
    assert.equal(await count('SUCCEEDED'), 40);
    // 20 at once from the full bucket, and 20 more at 20 per second.
    assert.ok(Date.now() - startedAt >= 950);
  });

  it('delivers events that became due later, after another tick left them to it', async () => {
    await manyEvents(database(), 5);
    const answers = holdAnswers();
    const first = runTick(deps());
    await waitUntil('the first worker delivers', () => answers.held.length === 5);
    await manyEvents(database(), 5, 'order.paid');
    assert.equal((await runTick(deps())).stopped, 'another tick is running');
    answers.release();
    assert.equal((await first).tally.delivered, 10);
  });

  it('is joined by a tick with other routes than the worker that it was handed over to', async () => {
    await manyEvents(database(), 3);
    const { runId } = await runTick(deps({ tickBudgetSeconds: 0 }));
    const answers = holdAnswers();
    const old = { ...deps(), routes: [aRouteTo(target().url, { match: { eventType: 'order.*' } })] };
    const continued = joinRun(old, runId ?? '');
    await waitUntil('the old version delivers', () => answers.held.length > 0);
    await manyEvents(database(), 1, 'new');
    const tick = runTick(deps());
    await waitUntil('the new version delivers', async () => (await count('PROCESSING')) === 4);
    answers.release();
    await Promise.all([tick, continued]);
    assert.equal(await count('SUCCEEDED'), 4);
  });

  it('is continued by the next tick after all its workers went silent', async () => {
    await manyEvents(database(), 5);
    const [{ id } = { id: '' }] = await database().sql(
      `with run as (insert into dlq_runs (trigger, due_at, allowance, tally)
           values ('schedule', now(), 0, '{"delivered": 7}') returning id),
         worker as (insert into dlq_run_workers select id, 1, gen_random_uuid() from run)
       select id from run`,
    );
    const { runId, run } = await runTick(deps({ maxEventsPerTick: 50 }));
    assert.deepEqual([runId, run?.tally.delivered], [id, 12]);
  });

  it('continues without a failed worker, which does not close it', async () => {
    await manyEvents(database(), 30);
    const { db, ...others } = deps();
    const breaks: typeof db.query = (query) =>
      query.name === 'settle-events' ? Promise.reject(new Error('broken')) : db.query(query);
    await assert.rejects(runTick({ ...others, db: { ...db, query: breaks } }), /broken/);
    assert.deepEqual(
      (await runs()).map(({ stopped }) => stopped),
      [null],
    );

    await endLeases(database());
    const { tally, stopped } = await runTick(deps());
    assert.deepEqual([tally.delivered, stopped, (await runs()).length], [30, 'nothing due', 1]);
  });

  it('stops a worker that lost its slot', async () => {
    await manyEvents(database(), 1000);
    target().answer = async (_, response) => {
      await database().sql('update dlq_run_workers set token = gen_random_uuid(), heartbeat_at = default');
      response.end();
    };
    const { stopped } = await runTick(deps({ leaseSeconds: 4, batchSize: 1 }, { timeoutSeconds: 1 }));
    assert.equal(stopped, 'slot lost');
    assert.deepEqual(
      (await runs()).map((run) => run.stopped),
      [null],
    );
  });

  it('does nothing for a duplicate, late or forged message', async () => {
    await manyEvents(database(), 10);
    const { runId } = await runTick(deps());
    await manyEvents(database(), 10);
    for (const id of [runId ?? '', '999999999']) assert.equal(await joinRun(deps(), id), undefined);
    assert.equal(await count('PENDING'), 10);
  });
});
