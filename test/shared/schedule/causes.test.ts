import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { acceptedBy, causeOf } from '../../../shared/delivery/cause.ts';
import { listBacklogs } from '../../../shared/schedule/backlogs.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { whyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { moveTime } from '../../month/move-time.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, typedEvents } from '../../support/factories.ts';
import { type Answer, useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { withoutSlowStarts } from '../../support/slow-starts.ts';

describe('events that fail because of themselves', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const routes = (breaker = {}, policy = {}) => [
    aRouteTo(target().url, {
      policy: { backoff: { baseSeconds: 0 }, breaker, ...policy },
    }),
  ];
  const tick = (settings = {}, breaker = {}, policy = {}) =>
    runTick({
      db: withoutSlowStarts(database()),
      retry: retryConfig(settings),
      routes: routes(breaker, policy),
    });
  const later = () => moveTime(database().sql, '6 hours');
  const count = async (where: string) =>
    (await database().sql(`select count(*)::int as events from dlq_events where ${where}`))[0]?.events;
  /** Answers events of a type that begins with "sick" otherwise than the others. */
  const sick =
    (status: number, body = ''): Answer =>
    (request, response) =>
      response.writeHead(request.body.includes('"sick') ? status : 200).end(body);

  beforeEach(() => database().clear());

  it('are each tried once, and then sampled, while the breaker of their target stays closed', async () => {
    await typedEvents(database(), 20, 'sick.order');
    await typedEvents(database(), 20, 'order.created');
    target().answer = sick(500);
    await tick();
    assert.equal(target().received.length, 40);
    await later();
    target().received.length = 0;
    await tick();
    assert.equal(target().received.length, 5);
    assert.deepEqual(await database().sql('select state from dlq_breakers where cause = 0'), []);
  });

  it('hold back none of those that their target accepted before, and whose consumer failed again', async () => {
    const recurred = { cause: acceptedBy(target().url), delivery_count: 1, failed_delivery: 1 };
    for (const [type, letter] of [...'abcdefghij', ...'..........'].entries())
      await anEvent(database(), {
        ...recurred,
        event_type: 'order.created',
        body: Buffer.from(`"${letter}"`),
        retry_after: new Date(type),
      });
    target().answer = (request, response) => {
      const letter = request.body.toString().replaceAll('"', '');
      response.writeHead(letter === '.' ? 200 : 500).end(`broken ${letter.repeat(9)}`);
    };
    const { tally } = await tick({}, {}, { concurrency: 1 });
    assert.deepEqual([tally.transient, tally.delivered], [10, 10]);
  });

  it('cost no retry to the events that wait for a sample', async () => {
    await typedEvents(database(), 20, 'sick.order');
    await typedEvents(database(), 1, 'order.created');
    target().answer = sick(500);
    await tick();
    await later();
    await tick();
    assert.deepEqual([await count('retry_count = 1'), await count('retry_count = 2')], [15, 5]);
  });

  it('all go when a sample passes', async () => {
    await typedEvents(database(), 20, 'sick.order');
    await typedEvents(database(), 1, 'order.created');
    target().answer = sick(500);
    await tick();
    target().answer = (_, response) => response.end();
    await later();
    await tick();
    assert.equal(await count(`status = 'SUCCEEDED'`), 21);
  });

  it('go on after one that passed until more fail in a row than have passed, and five', async () => {
    await typedEvents(database(), 60, 'sick.order');
    await typedEvents(database(), 10, 'order.created');
    target().answer = sick(500);
    await tick();
    const answers = [...Array(10).fill(200), ...Array(12).fill(500), ...Array(10).fill(200)];
    target().answer = (_, response) => response.writeHead(answers.shift() ?? 500).end();
    await later();
    await tick({}, {}, { concurrency: 1 });
    assert.equal(await count(`status = 'SUCCEEDED' and event_type = 'sick.order'`), 20);
    assert.deepEqual(await database().sql('select state from dlq_breakers'), [{ state: 'OPEN' }]);
    await later();
    target().received.length = 0;
    await tick();
    assert.ok(target().received.length <= 5, `${target().received.length} samples`);
  });

  it('wait apart for each answer of their target', async () => {
    await typedEvents(database(), 10, 'sick.a');
    await typedEvents(database(), 10, 'sick.b');
    target().answer = ({ body }, response) =>
      response.writeHead(500).end(body.includes('sick.a') ? 'no stock' : 'no address');
    await tick();
    target().answer = ({ body }, response) =>
      response.writeHead(body.includes('sick.a') ? 200 : 500).end('no address');
    await later();
    await tick();
    assert.deepEqual(
      [await count(`status = 'SUCCEEDED' and event_type = 'sick.a'`), await count(`is_open`)],
      [10, 10],
    );
  });

  it('say why they wait, how many they are, and what helps', async () => {
    const id = await anEvent(database(), { event_type: 'sick.order', body: Buffer.from('{"type": "sick"}') });
    await typedEvents(database(), 5, 'sick.order');
    target().answer = sick(500, 'no lines');
    await tick();
    const event = { id, eventType: 'sick.order', sourceKind: 'test', sourceTopic: null, consumerGroup: null };
    await database().sql(`update dlq_events set retry_after = now() where is_open`);
    const why = await whyNotNow({ db: database().db, routes: routes() }, event);
    assert.equal(why?.reason, 'cause');
    assert.equal(
      why.says,
      'Its cause fails by itself (HTTP 500: no lines): 6 events wait. Mend the consumer, edit one, replay now, or discard.',
    );
    const seconds = ((why.until?.getTime() ?? 0) - Date.now()) / 1000;
    assert.ok(seconds > 60 && seconds <= 120, `${seconds}`);
    // Its own time comes before the next sample of its cause, and then after.
    for (const [minutes, reason] of Object.entries({ '1': 'cause', '60': 'later' })) {
      await database().sql(
        `update dlq_events set retry_after = now() + make_interval(mins => $1) where is_open`,
        [Number(minutes)],
      );
      const { reason: found } = (await whyNotNow({ db: database().db, routes: routes() }, event)) ?? {};
      assert.equal(found, reason);
    }
  });

  it('are held back in the forecast, and their target is up', async () => {
    await typedEvents(database(), 20, 'sick.order');
    target().answer = sick(500);
    await tick();
    await database().sql(`update dlq_events set retry_after = now() where is_open`);
    const [backlog] = await listBacklogs(
      database().db,
      await readSnapshot({ db: database().db, routes: routes() }),
    );
    const { state, due, heldBack, failing, causes } = backlog ?? {};
    assert.deepEqual([state, due, heldBack, failing], ['open', 0, 20, 20]);
    assert.deepEqual(
      causes?.map(({ waiting }) => waiting),
      [20],
    );
  });

  it('are due in the forecast as far as a tick sends samples of them', async () => {
    await typedEvents(database(), 20, 'sick.order');
    target().answer = sick(500);
    await tick();
    for (const since of ['16 minutes', '6 hours']) {
      await database().sql(
        `with due as (update dlq_events set retry_after = now() where is_open)
         update dlq_breakers set probe_after = now(), updated_at = now() - $1::interval`,
        [since],
      );
      const [backlog] = await listBacklogs(
        database().db,
        await readSnapshot({ db: database().db, routes: routes() }),
      );
      target().received.length = 0;
      await tick();
      assert.deepEqual(
        [backlog?.due, backlog?.heldBack],
        [target().received.length, 20 - target().received.length],
        since,
      );
    }
    assert.equal(target().received.length, 5);
  });

  it('fail permanently up to a dozen if they are refused alike, and the rest waits', async () => {
    await typedEvents(database(), 100, 'order.created');
    target().answer = (_, response) => response.writeHead(422).end();
    await tick();
    const failed = Number(await count(`status = 'FAILED_PERMANENTLY'`));
    assert.ok(failed >= 12 && failed <= 24, `${failed} failed permanently`);
    assert.equal(await count('is_open'), 100 - failed);
    await typedEvents(database(), 20, 'order.created');
    await later();
    await tick();
    assert.equal(await count('is_open'), 120 - failed);
    target().answer = (_, response) => response.end();
    await later();
    await tick();
    assert.equal(await count(`status = 'SUCCEEDED'`), 120 - failed);
  });

  it('are sampled again in each tick, though others fail alike and many failed before some passed', async () => {
    const cause = causeOf(target().url, 'HTTP 500: no body');
    await typedEvents(database(), 1, 'sick.sample');
    await typedEvents(database(), 10, 'order.created');
    await database().sql('update dlq_events set cause = $1', [cause]);
    await typedEvents(database(), 1, 'sick.order');
    await database().sql(
      `insert into dlq_breakers (target, cause, state, consecutive_failures, deliveries, failures, pace, paused_until)
       values ($1, $2, 'CLOSED', 9, 12, 9, null, null), ($1, 0, 'CLOSED', 0, 0, 0, 1, now())`,
      [target().url, cause],
    );
    target().answer = sick(500);
    await runTick({ db: database().db, retry: retryConfig(), routes: routes() });
    assert.equal(await count(`status = 'SUCCEEDED'`), 10);
  });

  it('are known at their own target only', async () => {
    await typedEvents(database(), 10, 'sick.order');
    target().answer = sick(500);
    await tick();
    target().answer = (_, response) => response.end();
    await database().sql(`update dlq_events set retry_after = now() where is_open`);
    const moved = [aRouteTo(`${target().url}v2`)];
    await runTick({ db: database().db, retry: retryConfig(), routes: moved });
    assert.equal(await count(`status = 'SUCCEEDED'`), 10);
  });
});
