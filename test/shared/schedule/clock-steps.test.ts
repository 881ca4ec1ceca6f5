import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { readBreakers } from '../../../shared/delivery/breakers.ts';
import { ofRate } from '../../../shared/delivery/cause.ts';
import { takeTurns } from '../../../shared/delivery/limits.ts';
import { openRates } from '../../../shared/delivery/rates.ts';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { joinRun, runTick } from '../../../shared/schedule/run-tick.ts';
import { listTicks } from '../../../shared/schedule/ticks.ts';
import { aSettlement, claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, progressOf } from '../../support/runs.ts';

// A clock that steps back leaves times that it has set in the future: here they are moved there.
describe('after the clock of the database has stepped back', () => {
  const times = ['created_at', 'last_failure_at', 'first_failure_at', 'retry_after', 'updated_at'];
  const database = useDatabase();
  const target = useHttpTarget();
  const tick = (settings: Parameters<typeof retryConfig>[0] = {}) =>
    runTick({ db: database().db, retry: retryConfig(settings), routes: [aRouteTo(target().url)] });
  const ahead = (table: string, columns: readonly string[], by: string) =>
    database().sql(
      `update ${table} set ${columns.map((column) => `${column} = ${column} + $1::interval`).join()}`,
      [by],
    );
  beforeEach(() => database().clear());

  for (const by of ['90 seconds', '2 hours']) {
    it(`by ${by}, what was due is delivered`, async () => {
      await manyEvents(database(), 3);
      await ahead('dlq_events', times, by);
      assert.equal((await tick()).tally.delivered, 3);
    });

    it(`by ${by}, the slot of a worker that has died is free`, async () => {
      await manyEvents(database(), 3);
      await database().sql(
        `with run as (insert into dlq_runs (trigger) values ('schedule') returning id)
         insert into dlq_run_workers select id, 1, gen_random_uuid(), now() from run`,
      );
      await ahead('dlq_run_workers', ['heartbeat_at'], by);
      assert.equal((await tick()).tally.delivered, 3);
    });

    it(`by ${by}, a worker that is requested for a replay takes the slot of one that has died`, async () => {
      await manyEvents(database(), 3);
      const deps = {
        db: database().db,
        retry: retryConfig({ workers: 1 }),
        routes: [aRouteTo(target().url)],
      };
      const run = await aRun(deps);
      await database().sql(
        `insert into dlq_run_workers values ($1, 1, gen_random_uuid(), now() + $2::interval)`,
        [run.id, by],
      );
      await joinRun(deps, run.id);
      assert.equal((await progressOf(database(), run.id)).delivered, 3);
    });

    it(`by ${by}, a helper that has died keeps the tick neither shown as running nor open nor at its limit`, async () => {
      await manyEvents(database(), 3);
      await database().sql(
        `with run as (insert into dlq_runs (trigger, allowance) values ('schedule', 0) returning id)
         insert into dlq_run_workers select id, slot, gen_random_uuid(), now()
         from run cross join generate_series(1, 2) as slot`,
      );
      await ahead('dlq_run_workers', ['heartbeat_at'], by);
      const [listed] = await listTicks(database().db, { before: maxBigint, limit: 1 });
      assert.equal(listed?.stopped, 'interrupted: the next tick goes on');
      assert.equal((await tick({ workers: 2, maxEventsPerTick: 3 })).tally.delivered, 3);
      assert.deepEqual(await database().sql('select id from dlq_runs where ended_at is null'), []);
    });

    it(`by ${by}, a lease ends as long after as before, and one that began since as it was to end`, async () => {
      await manyEvents(database(), 3);
      const lease = (ids: string, age: string) =>
        database().sql(
          `update dlq_events set status = 'PROCESSING', lease_token = gen_random_uuid(),
             retry_after = now() - interval '1 day', updated_at = now() - $1::interval,
             lease_expires_at = now() - $1::interval + interval '1 hour' where id ${ids}`,
          [age],
        );
      await lease('> 0', '0');
      await ahead('dlq_events', [...times, 'lease_expires_at'], by);
      await lease('= (select max(id) from dlq_events)', '30 minutes');
      await tick();
      const ends = await database().sql(
        `select lease_expires_at between now() and now() + interval '1 hour' as is_within,
           lease_expires_at - updated_at = interval '1 hour' as is_as_long
         from dlq_events order by id desc`,
      );
      assert.deepEqual(ends, Array(3).fill({ is_within: true, is_as_long: true }));
      const [latest] = await database().sql(
        `select updated_at < now() - interval '20 minutes' as is_unchanged from dlq_events order by id desc`,
      );
      assert.deepEqual(latest, { is_unchanged: true });
    });

    it(`by ${by}, an event waits no longer than before, whatever came since`, async () => {
      await manyEvents(database(), 3);
      await database().sql("update dlq_events set retry_after = now() + interval '1 minute'");
      await ahead('dlq_events', times, by);
      await manyEvents(database(), 1);
      await database().sql(
        "insert into dlq_runs (trigger, ended_at, stopped) values ('schedule', now(), 'nothing due')",
      );
      await tick();
      const [latest] = await database().sql(
        `select max(retry_after) <= now() + interval '1 minute' as is_soon from dlq_events where is_open`,
      );
      assert.deepEqual(latest, { is_soon: true });
    });

    it(`by ${by}, an open breaker lets its probe go, and closes with it`, async () => {
      await manyEvents(database(), 3);
      await database().sql(
        `insert into dlq_breakers (target, state, opened_at, cooldown_seconds, probe_after)
         values ($1, 'OPEN', now() + $2::interval, 10, now() + $2::interval + interval '70 seconds')`,
        [target().url, by],
      );
      assert.ok((await tick()).tally.delivered >= 1);
      assert.deepEqual(await database().sql('select state from dlq_breakers'), [{ state: 'CLOSED' }]);
    });

    it(`by ${by} under a live worker, an event that it releases is due as before`, async () => {
      await manyEvents(database(), 1);
      const leaseToken = randomUUID();
      const [event] = await claim(database(), { leaseToken });
      await ahead('dlq_events', times, by);
      const released = { outcome: null, status: 'PENDING', retryInSeconds: null } as const;
      const settlements = [aSettlement(event?.id ?? '', leaseToken, released)];
      await settleEvents(database().db, { runId: null, settlements });
      assert.deepEqual(
        await database().sql('select status, retry_after <= now() as is_due from dlq_events'),
        [{ status: 'PENDING', is_due: true }],
      );
    });

    it(`by ${by}, a rate goes on`, async () => {
      const { db, sql } = database();
      await openRates({ db, routes: [], retry: retryConfig() }, [{ name: 'a', perSecond: 5 }]);
      const wanted = [{ target: 'a', cause: ofRate, wanted: 5 }];
      const take = async () =>
        (await takeTurns(db, { wanted, obeysBreakers: true, obeysHolds: true }))[0]?.granted;
      assert.equal(await take(), 5);
      await ahead('dlq_breakers', ['updated_at', 'paused_until'], by);
      assert.equal(await take(), 5);
      await sql('update dlq_breakers set updated_at = now()');
      assert.ok(((await take()) ?? 0) < 5);
      await sql('update dlq_breakers set updated_at = now(), tokens = 3');
      assert.ok(((await take()) ?? 0) >= 3);
    });

    it(`by ${by}, a pause that was over does not begin again with the next failure`, async () => {
      await manyEvents(database(), 3);
      await database().sql(
        `insert into dlq_breakers (target, pace, paused_until) values ($1, 100, now() - interval '1 minute')`,
        [target().url],
      );
      await ahead('dlq_breakers', ['updated_at', 'paused_until'], by);
      target().answer = (_, response) => {
        target().answer = (_, next) => next.end();
        response.writeHead(503).end();
      };
      assert.equal((await tick()).tally.delivered, 2);
      assert.equal((await readBreakers(database().db)).get(target().url)?.turn, 'open');
    });
  }

  it('by 2 hours in a worker, a target that took no more gets the rest within the same tick', async (context) => {
    await manyEvents(database(), 3);
    const stepBack = () => context.mock.timers.enable({ apis: ['Date'], now: Date.now() - 7_200_000 });
    target().answer = (_, response) => {
      target().answer = (_, next) => next.end();
      response.writeHead(429, { 'retry-after': '2' }).end(() => setTimeout(stepBack, 500));
    };
    assert.equal((await tick()).tally.delivered, 3);
  });

  it('or ahead by years in a worker, what was sent is settled with the time that it took', async (context) => {
    await manyEvents(database(), 3);
    target().answer = (_, response) => {
      context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 56 * 365 * 86_400_000 });
      target().answer = (_, next) => next.end();
      response.end();
    };
    await tick();
    const rows = await database().sql(
      `select outcome, duration_ms < 60000 as is_exact from dlq_attempts where event_id = $1`,
      [`${target().received[0]?.headers['dlo-event-id']}`.split('.')[0]],
    );
    assert.deepEqual(rows, [{ outcome: 'delivered', is_exact: true }]);
  });
});
