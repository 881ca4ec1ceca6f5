import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { readCaptures } from '../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { useDatabase } from '../support/database.ts';

/** Of characters beyond the BMP that PostgreSQL cannot compress: an index entry has up to 2,700 bytes. */
const long = Array.from({ length: 700 }, (_, i) =>
  String.fromCodePoint(0x20000 + ((i * 7919) % 40_000)),
).join('');
const shown = `${[...long].slice(0, 200).join('')}~`;

describe('a name that is too long for an index', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());

  const captureOverHttp = async (report: object, headers = {}) => {
    const body = Buffer.from(JSON.stringify({ eventType: 't', payload: {}, error: 'e', ...report }));
    const request = { path: '/', query: new URLSearchParams(), headers, body };
    const deps = { db: database().db, repeatSeconds: 600 };
    const [stored] = await storeCaptures(deps, readCaptures(request));
    return stored;
  };
  const captureInSql = async (more: string) => {
    const [row] = await database().sql<{ id: string }>(`select dlq_capture(${more}) as id`, [long]);
    return row?.id;
  };

  const columns = ['event_type', 'consumer_group', 'source_subscription'] as const;
  const reports = {
    event_type: { eventType: long },
    consumer_group: { source: { consumerGroup: long } },
    source_subscription: { source: { subscription: long } },
  };
  for (const column of columns) {
    it(`is stored alike however it comes, and whole beside the event: ${column}`, async () => {
      const others = column === 'event_type' ? '' : `event_type => 't', `;
      await captureInSql(`${others}${column} => $1, payload => '{}', source_topic => 'a', source_key => 'k'`);
      await captureOverHttp(reports[column]);
      const [names, values] = column === 'event_type' ? ['', ''] : ['event_type, ', `'t', `];
      const rest = `payload, source_topic, source_key) values (${values}$1, '{}', 'a', 'k')`;
      await database().sql(`insert into dlq_events (${names}${column}, ${rest}`, [long]);
      const added = `insert into dlq_events (event_type, payload) values ('t', '{}') returning id`;
      const [row] = await database().sql<{ id: string }>(added);
      await database().sql(`update dlq_events set ${column} = $1 where id = $2`, [long, row?.id]);

      const rows = await database().sql<{ name: string; whole: string }>(
        `select ${column} as name, metadata #>> '{ignored,${column}}' as whole from dlq_events`,
      );
      assert.equal(rows.length, 4);
      assert.deepEqual([...new Set(rows.map(({ whole }) => whole))], [long]);
      assert.deepEqual(
        [...new Set(rows.map(({ name }) => name))],
        [shown + (rows[0]?.name ?? '').slice(-32)],
      );
    });
  }

  it('keeps what else was noted beside the event, whatever it is', async () => {
    for (const metadata of ['{"shop": 7, "ignored": {"mine": 1}}', '[1]', '"x"', '{"ignored": 3}']) {
      await database().sql('insert into dlq_events (event_type, payload, metadata) values ($1, $2, $3)', [
        long,
        '{}',
        metadata,
      ]);
    }
    const rows = await database().sql('select metadata from dlq_events order by id');
    assert.deepEqual(
      rows.map(({ metadata }) => metadata),
      [
        { shop: 7, ignored: { mine: 1, event_type: long } },
        [1, { ignored: { event_type: long } }],
        ['x', { ignored: { event_type: long } }],
        { ignored: [3, { event_type: long }] },
      ],
    );
  });

  it('is that of one arrival if it is the id of a delivery, whenever that is repeated', async () => {
    const keys = ['first', `${long}second`, `${long}third`, `${long}second`, `${long}third`];
    for (const key of keys) await captureOverHttp({ eventId: 'order-1' }, { 'idempotency-key': key });
    assert.deepEqual(await database().sql('select delivery_id from dlq_captures order by id'), [
      { delivery_id: `idempotency:${long}second` },
      { delivery_id: `idempotency:${long}third` },
    ]);
  });

  it('is one event if it is an id, whether it is reported in SQL or over HTTP', async () => {
    const id = await captureInSql(`event_type => 't', payload => '{}', event_id => $1`);
    const stored = await captureOverHttp({ eventId: long });
    assert.deepEqual([stored?.id, stored?.isNew], [id, false]);
    const other = await captureOverHttp({ eventId: `${long}2` });
    assert.equal(other?.isNew, true);
  });
});
