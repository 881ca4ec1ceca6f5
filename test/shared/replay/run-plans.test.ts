import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { aSettlement } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { countReads, explainReads } from '../../support/plans.ts';

// A run is delivered as soon as it is created, when the planner has no statistics about it, or outdated ones.
describe('with a run of 10,000 events', () => {
  const database = useDatabase();
  before(async () => {
    await database().sql(
      `with run as (insert into dlq_runs (trigger, selected) values ('replay', 10000) returning id),
       event as (
         insert into dlq_events (event_type, payload, id_hashes) select 'order.created', '{}', '' from generate_series(1, 10000) returning id
       )
       insert into dlq_run_events (run_id, event_id, position, failure_count, status)
       select run.id, event.id, row_number() over (), 1, 'PENDING' from run cross join event`,
    );
    await database().sql('analyze dlq_events');
  });
  const explain = (name: string, params: Record<string, unknown>, table?: string) =>
    explainReads(database(), name, { runId: '1', ...params }, table);
  const pick = { after: 0, max: 50, hasOrdered: true };
  const leaseToken = randomUUID();
  const lease = {
    events: [{ id: '1', isOrdered: true }],
    dueAt: null,
    upTo: 50,
    leaseToken,
    leaseSeconds: 60,
  };
  const recovery = { maxLost: 5 };
  const settlement = { settlements: [aSettlement('1', leaseToken)] };
  const page = { after: '0', limit: 50, outcome: null };

  /** The planner may also find one row of the primary key by a bitmap. */
  const reads = async (name: string, params: Record<string, unknown>, indexes: readonly string[]) => {
    const expected = ['bitmap of dlq_run_events_pkey', ...indexes.map((index) => `dlq_run_events_${index}`)];
    const found = await explain(name, params, 'dlq_run_events');
    assert.deepEqual(
      found.filter((index) => !expected.includes(index)),
      [],
      `${name} reads ${found}`,
    );
  };

  for (const [what, learn] of [
    ['without statistics', 'select'],
    ['that has just been created', 'analyze'],
    [
      'that is almost done',
      `update dlq_run_events set outcome = 'delivered', settled_at = now() where position < 9900`,
    ],
    ['of which all is known', 'vacuum (analyze, index_cleanup on)'],
  ] as const) {
    it(`picking and leasing from one ${what} reads by position, and each event by id`, async () => {
      await database().sql(learn);
      await reads('pick-run', pick, ['by_outcome', 'pkey']);
      await reads('lease-events', lease, ['pkey']);
      for (const [name, params] of [
        ['pick-run', pick],
        ['lease-events', lease],
      ] as const)
        assert.deepEqual(await explain(name, params), ['dlq_events_pkey']);
    });

    it(`a settlement, a recovery and a page of one ${what} read only their own rows`, async () => {
      await reads('settle-events', settlement, ['pkey']);
      await reads('recover-leases', recovery, ['pkey']);
      assert.deepEqual(await explain('recover-leases', recovery), ['dlq_events_pkey']);
      await reads('list-run-events', page, ['pkey', 'by_outcome']);
      assert.deepEqual(await explain('list-run-events', page), ['dlq_events_pkey']);
      for (const name of ['judge-run', 'list-run-answers']) {
        await reads(name, { max: 500 }, ['pkey', 'by_outcome']);
      }
    });
  }

  it('a verdict and a pick read a few events of a run that is larger than the statistics know', async () => {
    // As the planner sees a million events of runs.
    await database().sql(
      `delete from pg_statistic where starelid = 'dlq_run_events'::regclass;
       update pg_class set relpages = 1, reltuples = 3000 where oid = 'dlq_run_events'::regclass`,
    );
    for (const name of ['judge-run', 'list-run-answers']) await reads(name, { max: 500 }, ['by_outcome']);
    await reads('pick-run', pick, ['by_outcome', 'pkey']);
  });

  // countReads finds no plan with a scan of the whole table, which a bitmap or a filter would hide from a list of indexes.
  it('a page reads the events that it shows, and its verdicts the last delivered ones', async () => {
    await database().sql(
      `delete from pg_statistic where starelid in ('dlq_events'::regclass, 'dlq_run_events'::regclass)`,
    );
    const reads = async (name: string, params: Record<string, unknown>) => {
      const { custom, generic } = await countReads(database(), name, { runId: '1', ...params });
      return Math.max(custom, generic);
    };
    assert.equal(await reads('list-run-events', page), 50);
    assert.equal(await reads('list-run-events', { ...page, outcome: 'waiting' }), 50);
    assert.equal(await reads('judge-run', { max: 1000 }), 1000);
    assert.ok((await reads('count-replayed', { max: 1000 })) <= 1000);
  });
});

describe('with 10,000 empty ticks', () => {
  const database = useDatabase();
  before(async () => {
    await database().sql(
      `insert into dlq_runs (trigger, started_at, ended_at, stopped, tally)
       select 'schedule', now(), now(), 'nothing due', '{"claimed": 0}' from generate_series(1, 10000)`,
    );
    await database().sql('vacuum (analyze, index_cleanup on) dlq_runs');
  });

  for (const [name, params, index] of [
    ['list-runs', { before: maxBigint, limit: 25 }, 'dlq_runs_replays'],
    ['list-busy-ticks', { before: '9', limit: 10 }, 'dlq_runs_busy_ticks'],
    ['list-ticks', { before: maxBigint, limit: 6 }, 'dlq_runs_pkey'],
  ] as const) {
    it(`${name} finds its runs by ${index}`, async () => {
      assert.deepEqual(await explainReads(database(), name, params, 'dlq_runs'), [index]);
    });
  }
});

describe('with 20,000 deliveries to one target', () => {
  const database = useDatabase();
  before(() =>
    database().sql(
      `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms)
       select n, 1, 'delivered', 'http://shop/', now(), 12 from generate_series(1, 20000) n`,
    ),
  );

  for (const [name, params] of [
    ['measure-targets', { targets: ['http://shop/'] }],
    ['list-answers', { target: 'http://shop/', max: 20 }],
  ] as const) {
    it(`${name} reads the latest ones one by one, without statistics`, async () => {
      const reads = await explainReads(database(), name, params, 'dlq_attempts');
      assert.deepEqual(
        reads.filter((index) => index !== 'dlq_attempts_pkey'),
        ['dlq_attempts_target'],
      );
    });
  }
});
