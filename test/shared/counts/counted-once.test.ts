import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { aggregateCounts } from '../../../shared/counts/aggregate-counts.ts';
import { recover } from '../../../shared/delivery/recover.ts';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import { statuses } from '../../../shared/message/event.ts';
import { editRun } from '../../../shared/replay/edit-run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { aSettlement, claim } from '../../support/claims.ts';
import { compareDepths, compareWithZero, sumHours } from '../../support/counts.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, claimAndDie, endLeases } from '../../support/runs.ts';

const closed = ['SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED'] as const;

describe('what happened once counts once', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const sql = (text: string, values?: unknown[]) => database().sql<{ id: string }>(text, values);
  const routes = () => [
    aRouteTo(`${target().url}first`, { match: { eventType: 'order.*' } }),
    aRouteTo(`${target().url}second`, { match: { eventType: 'none' } }),
  ];
  const deps = () => ({ db: database().db, routes: routes(), retry: retryConfig() });
  const replay = async (body: Record<string, unknown>) => {
    const { id } = await aRun(deps(), { filter: { status: statuses }, ...body });
    await workOnReplay(deps(), id, { endsAt: Date.now() + 60_000 });
  };
  /** Fails unless `work` leaves all that happened as it was, and the states of the events exact. */
  const assertNothingHappens = async (work: () => Promise<unknown>) => {
    const before = await sumHours(database());
    await work();
    assert.deepEqual(await sumHours(database()), before);
    await aggregateCounts(database().db);
    assert.deepEqual(await sumHours(database()), before);
    const { reported, found } = await compareDepths(database());
    assert.deepEqual(reported, found);
  };
  beforeEach(async () => {
    await database().clear();
    for (const status of ['PENDING', ...closed]) await anEvent(database(), { status });
    target().answer = (_request, response) => response.writeHead(503).end();
  });

  it('a restore from the archive is no capture, delivery, failure, conflict or discard', async () => {
    const first = await anEvent(database(), { status: 'SUCCEEDED', failure_count: 3 });
    await anEvent(database(), { status: 'SUCCEEDED', conflicts_with: first });
    const archived = await sql(
      `with moved as (delete from dlq_events where not is_open returning *)
       insert into dlq_events_archive select * from moved returning id`,
    );
    await assertNothingHappens(() => sql('select dlq_restore_events($1)', [archived.map(({ id }) => id)]));
    assert.equal((await sql('select id from dlq_events')).length, 6);
    const conflicts = 'select sum(conflicts)::int as events from dlq_counts_totals where event_type is null';
    assert.deepEqual(await sql(`${conflicts} and hour is null`), [{ events: 1 }]);
  });

  it('an edit is no later failure of its error group', async () => {
    await database().sql(`update dlq_events set fingerprint = 'v1:a'`);
    await aggregateCounts(database().db);
    await sql(`update dlq_error_groups set first_seen_at = '2020-01-01Z', last_seen_at = '2020-01-01Z'`);
    const [failed] = await sql(`select id from dlq_events where status = 'FAILED_PERMANENTLY'`);
    await aRun(deps(), { filter: { ids: [failed?.id ?? ''] }, edit: { body: '{}' } });
    await aggregateCounts(database().db);
    const seen = `select last_seen_at from dlq_error_groups where fingerprint = 'v1:a'`;
    assert.deepEqual(await database().sql(seen), [{ last_seen_at: new Date('2020-01-01') }]);
  });

  it('a redirected replay that fails delivers, discards and fails no event again', async () => {
    await sql(`delete from dlq_events where status = 'PENDING'`);
    await assertNothingHappens(() => replay({ target: `${target().url}second` }));
    assert.equal(target().received.length, 3);
    assert.deepEqual(
      (await database().sql<{ status: string }>('select status from dlq_events order by id')).map(
        ({ status }) => status,
      ),
      closed,
    );
  });

  it('an edit is no capture, delivery, failure or discard', async () => {
    const patch = [{ op: 'add', path: '/edited', value: true }];
    await assertNothingHappens(async () => {
      const run = await aRun(deps(), { filter: { status: statuses }, patch });
      await editRun(database().db, { ...run, patch: JSON.stringify(patch) });
    });
    assert.equal((await sql('select id from dlq_events where edited_from is not null')).length, 4);
  });

  it('a worker of a replay that dies returns events to their states', async () => {
    await sql(`delete from dlq_events where status = 'PENDING'`);
    const run = await aRun(deps(), { filter: { status: statuses } });
    await assertNothingHappens(async () => {
      await claimAndDie(database(), run, { isSent: false });
      await endLeases(database());
      await recover(deps());
    });
  });

  it('a delivery counts, again for each replay that delivers again', async () => {
    target().answer = (_request, response) => response.writeHead(200).end();
    await replay({ filter: { status: ['SUCCEEDED'] } });
    await replay({ filter: { status: ['SUCCEEDED'] } });
    assert.equal((await sumHours(database())).deliveries, 2);
  });

  it('a delivery counts although the clock was set back since its claim', async () => {
    const leaseToken = randomUUID();
    const [claimed] = await claim(database(), { leaseToken, limit: 1 });
    await sql(`update dlq_events set updated_at = now() + interval '2 hours' where status = 'PROCESSING'`);
    const settlements = [aSettlement(claimed?.id ?? '', leaseToken)];
    await settleEvents(database().db, { runId: '1', settlements });
    assert.equal((await sumHours(database())).deliveries, 1);
  });

  it('an event whose type becomes known later was captured once, under the type that it had', async () => {
    const captures = () =>
      sql(
        `select event_type, sum(captures)::int as captures from dlq_counts_exact
         where hour is null
         group by 1 having sum(captures) <> 0`,
      );
    const before = await captures();
    await sql(
      `update dlq_events set event_type = 'order.paid', fingerprint = 'v2:other' where status = 'PENDING'`,
    );
    assert.deepEqual(await captures(), before);
  });

  const changes: Record<string, string> = {
    'whose type changes': `update dlq_events set event_type = 'order.paid'`,
    'of which a message with another type completes the report': `
      delete from dlq_events;
      select dlq_capture(event_type => 'unknown', payload => null, event_id => '7');
      select dlq_capture(event_type => 'order.paid', payload => '{}', event_id => '7')`,
    'whose time changes': `update dlq_events set created_at = '2026-01-01'`,
    'that has recurred when it is inserted':
      'insert into dlq_events (event_type, payload, failure_count) values ($$order.paid$$, $${}$$, 3)',
    'that was edited': `
      select dlq_edit_events(1, array_agg(id), array_agg('{}'::bytea), null) from dlq_events where is_open`,
  };

  for (const [which, change] of Object.entries(changes)) {
    it(`a failure of an event ${which} moves from one error group to another`, async () => {
      await sql(change);
      const before = await sumHours(database());
      for (const group of ['v3:one', 'v3:two']) await sql(`update dlq_events set fingerprint = '${group}'`);
      assert.deepEqual(await sumHours(database()), before);
      const { reported, found } = await compareWithZero(database());
      assert.deepEqual(reported, found);
    });
  }
});
