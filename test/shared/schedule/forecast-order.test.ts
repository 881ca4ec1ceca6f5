import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { countDue } from '../../../shared/schedule/count-due.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

type Event = { readonly id: string; readonly key: string; readonly consumer: string; readonly goes: boolean };

describe('the forecast of an ordered route', () => {
  const database = useDatabase();
  const sql = <Row>(text: string, values?: unknown[]) => database().sql<Row>(text, values);
  beforeEach(() => database().clear());
  const count = async (routes = [aRouteTo('http://shop/', { ordered: true })]) => {
    const { lanes } = await readSnapshot({ db: database().db, routes });
    const counts = await countDue(database().db, lanes);
    const sum = (of: string) => counts.reduce((all, { turn, events }) => all + (turn === of ? events : 0), 0);
    const stops = counts.flatMap((each) => (each.turn === 'behind' ? each.stops : []));
    return { due: sum('due'), behind: sum('behind'), stops: stops.sort() };
  };

  /** Delivers what goes first in turn, as ticks do. Returns the delivered events, and the one that stops them. */
  const deliverInTurn = async ({ key, consumer }: Event, goes: ReadonlySet<string>) => {
    const delivered = new Set<string>();
    for (;;) {
      const [{ head } = { head: null }] = await sql<{ head: string | null }>(
        'select dlq_blocked_by($1::bigint, $2::text, null) as head',
        [key, consumer],
      );
      if (head === null || !goes.has(head)) return { delivered, stop: head };
      await sql(`update dlq_events set status = 'SUCCEEDED' where id = $1`, [head]);
      delivered.add(head);
    }
  };

  it('is what deliveries in the order of dlq_blocked_by would do', async () => {
    await sql(
      `insert into dlq_events (id, event_type, payload, source_key, source_partition, source_offset, consumer_group,
         source_subscription, status, retry_after, edited_from, priority)
       select 2 * n, 'type ' || n % 3, '{}', 'key ' || n % 24, case when at[1] < 0.5 then at[2] * 2 end, at[3] * 6,
         (array['a', '', null, null])[1 + trunc(4 * at[4])], (array['a', 'b', null])[1 + trunc(3 * at[5])],
         (array['PENDING', 'PENDING', 'PENDING', 'FAILED_PERMANENTLY', 'SUCCEEDED'])[1 + trunc(5 * at[6])],
         now() + make_interval(mins => case when at[7] < 0.3 then 30 else -1 end),
         case when at[8] < 0.3 then 1 + 2 * (n * 37 % 211) end, n % 2
       from generate_series(1, 210) as n
       cross join lateral (
         select array_agg(abs(hashint8extended(n * 10 + i, $1)) / 9223372036854775808.0) as at
         from generate_series(1, 8) as i) as chance`,
      [process.env.TEST_SEED],
    );
    const events = await sql<Event>(
      `select id, order_key as key, coalesce(consumer_group, source_subscription, '') as consumer,
         retry_after <= now() as goes
       from dlq_events where is_open`,
    );
    const goes = new Set(events.flatMap(({ id, goes }) => (goes ? [id] : [])));
    const forecast = await count();
    const expected = { due: 0, behind: 0, stops: [] as string[] };
    for (const event of events.filter((each) => each.goes)) {
      const { delivered, stop } = await deliverInTurn(event, goes);
      await sql(`update dlq_events set status = 'PENDING' where id = any ($1)`, [[...delivered]]);
      if (delivered.has(event.id)) expected.due += 1;
      else {
        expected.behind += 1;
        expected.stops.push(stop ?? '');
      }
    }

    assert.ok(expected.due > 5 && expected.behind > 5, JSON.stringify(expected));
    const stops = [...new Set(expected.stops)].sort();
    assert.deepEqual({ ...forecast, stops: [...new Set(forecast.stops)] }, { ...expected, stops });
  });

  it('takes an empty consumer for none, as dlq_blocked_by does', async () => {
    const place = { source_key: 'k', source_partition: 1 };
    await anEvent(database(), { ...place, source_offset: 5, consumer_group: '' });
    const retry_after = new Date(Date.now() + 1_800_000);
    const stop = await anEvent(database(), { ...place, source_offset: 3, retry_after });

    assert.deepEqual(await count(), { due: 0, behind: 1, stops: [stop] });
  });

  it('takes events of one offset in the order of their capture', async () => {
    const place = { source_key: 'k', source_partition: 1, source_offset: 3 };
    const retry_after = new Date(Date.now() + 1_800_000);
    const stop = await anEvent(database(), { ...place, retry_after });
    await anEvent(database(), place);

    assert.deepEqual(await count(), { due: 0, behind: 1, stops: [stop] });
  });

  it('counts no event of a route without an order behind another one of its key, rules or not', async () => {
    const later = new Date(Date.now() + 1_800_000);
    await anEvent(database(), { source_key: 'k', retry_after: later });
    await anEvent(database(), { source_key: 'k' });
    const counts = await count([aRouteTo('http://shop/', { policy: { maxAge: '1h' } })]);

    assert.deepEqual(counts, { due: 1, behind: 0, stops: [] });
  });
});
