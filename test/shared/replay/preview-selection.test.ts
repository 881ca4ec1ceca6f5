import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Query } from '../../../shared/database/database.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { statuses } from '../../../shared/message/event.ts';
import { previewSelection } from '../../../shared/replay/preview-selection.ts';
import { useDatabase } from '../../support/database.ts';
import { countReadsOf } from '../../support/plans.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRunRequest } from '../../support/runs.ts';
import { vacuumEvents } from '../../support/vacuum.ts';

describe('the selection of a preview', () => {
  const database = useDatabase();
  const select = (body: Record<string, unknown>) => {
    const deps = {
      db: database().db,
      routes: [aRouteTo('http://shop/', { match: { eventType: '*' } })],
      costLimit: 0,
    };
    return previewSelection(deps, aRunRequest({ dryRun: true, ...body }));
  };
  /** Some leased, of three types and nine errors, two of which are merged. */
  const insert = () =>
    database().sql(
      `insert into dlq_events (event_type, payload, status, fingerprint, lease_token, lease_expires_at)
       select (array['order.a', 'order.b', 'invoice'])[1 + n % 3], '{}', status, 'v2:' || n * n % 11,
         case status when 'PROCESSING' then gen_random_uuid() end,
         case status when 'PROCESSING' then now() + (n % 3 - 1) * interval '1 minute' end
       from generate_series(1, 300) n cross join lateral (select ($1::text[])[1 + n % 5] as status) as event`,
      [statuses],
    );
  beforeEach(async () => {
    await database().clear();
    await insert();
    await refresh(database().db);
    await database().sql(`update dlq_error_groups set merged_into = 'v2:1' where fingerprint = 'v2:4'`);
    // These are not aggregated yet.
    await insert();
  });

  const sizes = ({ errors }: Pick<Awaited<ReturnType<typeof select>>, 'errors'>) =>
    errors.largest.map(({ value, events }) => [value, events, errors.count]);

  it('has the errors of the selected events, and merged groups under one', async () => {
    const { errors } = await select({ filter: { status: 'PENDING' } });
    const rows = await database().sql<{ value: string; events: number }>(
      `select replace(fingerprint, 'v2:4', 'v2:1') as value, count(*)::int as events from dlq_events
       where status = 'PENDING' group by 1 order by events desc, value`,
    );
    assert.deepEqual(
      sizes({ errors }),
      rows.map(({ value, events }) => [value, events, rows.length]),
    );
  });

  it('counts permanent failures alike with and without other events', async () => {
    const partsOf = async (...status: string[]) => {
      const { estimate } = await select({ filter: { status } });
      return estimate.parts.filter((part) => part.status === 'FAILED_PERMANENTLY');
    };
    const permanent = await partsOf('FAILED_PERMANENTLY');
    assert.ok(permanent.length > 0);
    assert.deepEqual(permanent, await partsOf('FAILED_PERMANENTLY', 'SUCCEEDED'));
  });

  it('leaves out what is captured after the preview', async () => {
    const [{ now } = { now: '' }] = await database().sql<{ now: string }>('select clock_timestamp() as now');
    const body = { filter: { status: 'PENDING', capturedBefore: new Date(now).toISOString() } };
    const before = sizes(await select(body));
    await insert();
    assert.deepEqual(sizes(await select(body)), before);
  });

  it('begins with the first events however unevenly they are spread', async () => {
    const ids = async (condition: string) =>
      (
        await database().sql<{ id: string }>(
          `select id from dlq_events where ${condition} order by id limit 10`,
        )
      ).map(({ id }) => id);
    const first = async () => (await select({ filter: { status: 'PENDING' } })).first.slice(0, 10);
    assert.deepEqual(await first(), await ids(`status = 'PENDING'`));
    await database().sql(
      `insert into dlq_events (id, event_type, payload) select 1000000 + n, 'order.a', '{}' from generate_series(1, 100) n`,
    );
    await database().sql(
      'delete from dlq_events where id between (select min(id) + 20 from dlq_events) and 999999',
    );
    assert.deepEqual(await first(), await ids(`status = 'PENDING'`));
  });
});

describe('the first events of a selection', () => {
  const database = useDatabase();

  it('are looked for step by step and no further, not among all of it, where they are rare at its start', async () => {
    await database().sql(
      `insert into dlq_events (id, event_type, payload)
       select case when n < 100 then n * 30000 when n < 2000 then 3000000 + n else 10000000 + n end, 'order', '{}'
       from generate_series(1, 30000) as n`,
    );
    const { db } = database();
    const asked: Query[] = [];
    const watched: typeof db = {
      ...db,
      query: (query) => {
        if (query.text.includes('order by event.id\nlimit')) asked.push(query);
        return db.query(query);
      },
    };
    const deps = { db: watched, routes: [aRouteTo('http://shop/')], costLimit: 0 };
    const { first } = await previewSelection(
      deps,
      aRunRequest({ dryRun: true, filter: { eventType: 'order' } }),
    );
    assert.deepEqual([first.length, first.at(0), first.at(-1)], [1000, '30000', '3001000']);
    const bounds = asked.flatMap(({ values = [] }) => values);
    assert.ok(bounds.includes('30000') && !bounds.includes('10030000'), `${bounds}`);

    await vacuumEvents(database());
    const [latest] = asked.slice(-1);
    const reads = await countReadsOf(database(), async (read) => latest && read.query(latest));
    assert.equal(reads, 1000);
  });
});
