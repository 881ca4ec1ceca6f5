import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, it } from 'node:test';
import { continueRun } from '../../../functions/retry/continue-run.ts';
import { runTick, type Tick } from '../../../functions/retry/run-tick.ts';
import type { RetryConfig } from '../../../shared/retry-config.ts';
import type { Tally } from '../../../shared/tally.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { usePubSubTarget } from '../../support/pubsub-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a tick with several workers', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const pubsub = usePubSubTarget();
  beforeEach(() =>
    database().sql('truncate dlq_events, dlq_breakers, dlq_runs, dlq_run_workers, dlq_rates cascade'),
  );
  const deps = (settings: Partial<RetryConfig> = {}, policy = {}) => ({
    db: database().db,
    retry: retryConfig({ workers: 4, continueTopic: pubsub().topic, batchSize: 10, ...settings }),
    routes: [aRouteTo(target().url, { policy })],
  });
  const calls = () =>
    pubsub()
      .messages()
      .map(({ data }) => JSON.parse(data.toString()).runId);
  const runs = () =>
    database().sql<{ id: string; stopped: string | null; tally: Tally }>(
      'select id, stopped, tally from dlq_runs',
    );
  const count = async (status: string) =>
    (await database().sql('select from dlq_events where status = $1', [status])).length;
  /** Lets the target answer only once it is told to. */
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

  it('calls none of them for what one does in a batch', async () => {
    await manyEvents(database(), 10);
    await runTick(deps());
    assert.deepEqual(calls(), []);
  });

  it('calls one for each further batch, up to WORKERS, and all for its own run', async () => {
    await manyEvents(database(), 200);
    const { runId } = await runTick(deps());
    assert.deepEqual(calls(), [runId, runId, runId]);
  });

  it('calls none where its target is down', async () => {
    await manyEvents(database(), 200);
    target().answer = (_, response) => response.writeHead(503).end();
    await runTick(deps());
    assert.deepEqual(calls(), []);
  });

  it('works alone without a topic to call by', async () => {
    await manyEvents(database(), 200);
    const { tally, stopped } = await runTick(deps({ continueTopic: undefined, workers: 1 }));
    assert.deepEqual([tally.delivered, stopped, calls()], [200, 'nothing due', []]);
  });

  it('is one run with one tally, closed by whoever is the last', async () => {
    await manyEvents(database(), 100);
    const answers = holdAnswers();
    const first = runTick(deps({ batchSize: 20 }));
    await waitUntil('the first worker delivers', () => answers.held.length === 10);
    const [{ id } = { id: '' }] = await runs();
    const second = continueRun(deps({ batchSize: 20 }), id);
    await waitUntil('the second worker delivers', () => answers.held.length === 20);
    answers.release();

    const worked = [await first, (await second) as Tick];
    const delivered = worked.map((each) => each.tally.delivered);
    assert.ok(
      delivered.every((events) => events >= 20),
      `${delivered}`,
    );
    const last = worked.filter(({ run }) => run);
    assert.deepEqual([last.length, last[0]?.run?.tally.delivered], [1, 100]);
    assert.deepEqual(await runs(), [{ id, stopped: 'nothing due', tally: last[0]?.run?.tally }]);
  });

  it('hands over what its time was too short for, until all is delivered', async () => {
    await manyEvents(database(), 300);
    const short = deps({ tickBudgetSeconds: 0.05, continueBudgetSeconds: 0.05, workers: 1 });
    const { runId, stopped } = await runTick(short);
    assert.equal(stopped, 'time budget spent');
    assert.deepEqual(
      (await runs()).map((run) => run.stopped),
      [null],
    );

    let links = 0;
    for (; (await runs())[0]?.stopped === null; links++) await continueRun(short, calls()[links]);
    assert.ok(links > 0);
    assert.equal(calls().length, links);
    const [run] = await runs();
    assert.deepEqual([run?.id, run?.tally.delivered], [runId, 300]);
  });

  it('claims no more events than MAX_EVENTS_PER_TICK, all together', async () => {
    await manyEvents(database(), 200);
    const limited = deps({ maxEventsPerTick: 70 });
    const answers = holdAnswers();
    const first = runTick(limited);
    await waitUntil('the first worker delivers', () => answers.held.length === 10);
    const [{ id } = { id: '' }] = await runs();
    const others = [1, 2, 3].map(() => continueRun(limited, id));
    await waitUntil('all workers deliver', () => answers.held.length === 40);
    answers.release();
    await Promise.all([first, ...others]);
    assert.deepEqual([await count('SUCCEEDED'), target().received.length], [70, 70]);
    assert.equal((await runs())[0]?.stopped, 'event limit reached');
  });

  it('keeps to the rate of a route, all together', async () => {
    await manyEvents(database(), 40);
    const slow = deps({}, { ratePerSecond: 20 });
    const startedAt = Date.now();
    const first = runTick(slow);
    await waitUntil('the first worker delivers', () => target().received.length > 0);
    const [{ id } = { id: '' }] = await runs();
    await Promise.all([first, continueRun(slow, id), continueRun(slow, id)]);
    assert.equal(await count('SUCCEEDED'), 40);
    // Twenty at once from the full bucket, and twenty more at twenty a second.
    assert.ok(Date.now() - startedAt >= 950);
  });

  it('does what has become due since, where another tick came and left it to it', async () => {
    await manyEvents(database(), 5);
    const answers = holdAnswers();
    const first = runTick(deps());
    await waitUntil('the first worker delivers', () => answers.held.length === 5);
    await manyEvents(database(), 5, 'order.paid');
    assert.equal((await runTick(deps())).stopped, 'another tick is running');
    answers.release();
    assert.equal((await first).tally.delivered, 10);
  });

  it('is taken up by the next tick where all its workers have gone silent', async () => {
    await manyEvents(database(), 5);
    const [{ id } = { id: '' }] = await database().sql(
      `with run as (insert into dlq_runs (trigger, due_at, allowance, tally)
           values ('schedule', now(), 0, '{"delivered": 7}') returning id),
         worker as (insert into dlq_run_workers select id, 1, gen_random_uuid(), now() from run)
       select id from run`,
    );
    const { runId, run } = await runTick(deps({ maxEventsPerTick: 50 }));
    assert.deepEqual([runId, run?.tally.delivered], [id, 12]);
  });

  it('goes on without a worker that failed, and is not closed by it', async () => {
    await manyEvents(database(), 30);
    const { db, ...others } = deps();
    const breaks: typeof db.query = (query) =>
      query.name === 'settle-events' ? Promise.reject(new Error('broken')) : db.query(query);
    await assert.rejects(runTick({ ...others, db: { ...db, query: breaks } }), /broken/);
    assert.deepEqual(
      (await runs()).map(({ stopped }) => stopped),
      [null],
    );

    await database().sql('update dlq_events set lease_expires_at = now() where lease_token is not null');
    const { tally, stopped } = await runTick(deps());
    assert.deepEqual([tally.delivered, stopped, (await runs()).length], [30, 'nothing due', 1]);
  });

  it('loses a worker whose slot is another’s by now', async () => {
    await manyEvents(database(), 1000);
    target().answer = async (_, response) => {
      await database().sql('update dlq_run_workers set token = gen_random_uuid(), alive_until = now()');
      response.end();
    };
    const { stopped } = await runTick(deps({ leaseSeconds: 1.5, batchSize: 1 }, { timeoutSeconds: 1 }));
    assert.equal(stopped, 'slot lost');
    assert.deepEqual(
      (await runs()).map((run) => run.stopped),
      [null],
    );
  });

  it('does nothing for a message that comes too often, too late, or out of nowhere', async () => {
    await manyEvents(database(), 10);
    const { runId } = await runTick(deps());
    await manyEvents(database(), 10);
    for (const id of [runId ?? '', '999999999']) assert.equal(await continueRun(deps(), id), undefined);
    assert.equal(await count('PENDING'), 10);
  });
});
