import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { firstPosition } from '../../../shared/events/filter/page-position.ts';
import { hashIds } from '../../../shared/events/hash-ids.ts';
import { listEvents } from '../../../shared/events/list-events.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { redelivery } from '../../support/redelivery.ts';

const texts = {
  'ORD-10231': ['ord-10231'],
  '{"id": "0B8A3F3C-6f0e-4f5a-9c0e-2a1d3b4c5d6e"}': ['0b8a3f3c-6f0e-4f5a-9c0e-2a1d3b4c5d6e'],
  'order 01ARZ3NDEKTSV4RRFFQ69G5FAV failed': ['01arz3ndektsv4rrffq69g5fav'],
  'no stock for 4006381333931.': ['4006381333931'],
  '{"charge": "ch_3MmlLrLkdIwHu7ix0snN0B15"}': ['ch_3mmllrlkdiwhu7ix0snn0b15'],
  'line\\nORD-10231\\u000aORD-10232': ['ord-10231', 'ord-10232'],
};

const others = {
  words: 'connection-refused by payment_gateway',
  'short values': 'A-7 12345 v2 step-42',
  dates: '2026-03-01 20260301',
  times: '2026-03-01T10:15:30.123Z 20260301T101530Z',
  'seconds and milliseconds since 1970': '1772360130 1772360130123',
  fractions: '52.5200080 0.30000000000000004',
  'headers of a trace': '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'very long values': 'a1b2c3'.repeat(11),
};

const orders = (count: number) => Array.from({ length: count }, (_, i) => `ORD-${1000 + i}`);

describe('the ids of a text', () => {
  for (const [text, ids] of Object.entries(texts)) {
    it(`are found in ${text}`, () => {
      assert.equal(ids.flatMap((id) => hashIds([id])).length, ids.length);
      assert.deepEqual(
        hashIds([text]),
        ids.flatMap((id) => hashIds([id])),
      );
    });
  }

  for (const [name, text] of Object.entries(others)) {
    it(`are not ${name}`, () => assert.deepEqual(hashIds([text]), []));
  }

  it('are at most 6, the first ones', () => {
    assert.deepEqual(hashIds([orders(20).join(' ')]), hashIds(orders(6)));
  });
});

describe('an event', () => {
  const database = useDatabase();
  const capture = (of: Parameters<typeof aCapture>[0]) =>
    storeCaptures({ db: database().db, repeatSeconds: 600 }, [aCapture(of)]);
  const findBy = async (id: string) => {
    const page = { ...firstPosition, max: 10 };
    return (await listEvents(database().db, { mention: [id] }, page)).length;
  };
  const has = async (id: string) => assert.equal(await findBy(id), 1, `${id} finds one event`);
  const hasNot = async (id: string) => assert.equal(await findBy(id), 0, `${id} finds no event`);

  beforeEach(() => database().clear());

  it('is found by the ids of its error, headers and message when it was captured', async () => {
    const body = Buffer.from('{"order": {"id": "ORD-10231"}}');
    await capture({ body, errorReason: 'no stock of SKU-99017', headers: { tenant: 'shop-00042' } });
    await has('ord-10231');
    await has('sku-99017');
    await has('SHOP-00042');
    await hasNot('ord-10232');
  });

  it('is found by the ids of its error when an application captured it in SQL', async () => {
    await database().sql(
      `select dlq_capture('order.created', '{"id": "ORD-10231"}', 'no stock of SKU-99017')`,
    );
    await has('ord-10231');
    await has('sku-99017');
  });

  it('is found by the ids of a message that was captured after its report', async () => {
    await capture({ origin: 'report', body: Buffer.alloc(0), errorReason: 'no stock of SKU-99017' });
    await has('sku-99017');
    await capture({ body: Buffer.from('{"id": "ORD-10231"}'), deliveryId: 'second' });
    await has('ord-10231');
    await has('sku-99017');
  });

  it('is found by its own id when only its first content had it', async () => {
    const said = { origin: 'report', errorReason: 'timeout' } as const;
    await capture({ ...said, eventKey: 'sha256:1', eventId: null, body: Buffer.alloc(0) });
    const [row] = await database().sql<{ token: string }>(`select ${redelivery} as token from dlq_events`);
    await capture({ ...said, eventKey: 'id:Pay', eventId: 'Pay', redelivery: row?.token ?? null });
    const page = { ...firstPosition, max: 10 };
    assert.equal((await listEvents(database().db, { eventId: ['Pay'] }, page)).length, 1);
  });

  it('is found by its own id, key and trace, whatever they look like, captured or changed in SQL', async () => {
    await capture({ eventId: 'Pay', sourceKey: 'café 😀', traceId: 'a'.repeat(70) });
    const byId = async (filter: Filter) =>
      (await listEvents(database().db, filter, { ...firstPosition, max: 10 })).length;
    const all = { eventId: ['Pay'], key: ['café 😀'], traceId: ['a'.repeat(70)] };
    assert.equal(await byId(all), 1);
    assert.equal(await byId({ identifier: ['CAFÉ 😀'] }), 1);
    assert.equal(await byId({ eventId: ['pay'] }), 0);
    await database().sql(`update dlq_events set event_id = 'other', source_key = null`);
    assert.equal(await byId(all), 0);
    assert.equal(await byId({ eventId: ['other'], traceId: all.traceId }), 1);
  });

  it('is found by the ids of what plain SQL changed it to', async () => {
    await database().sql(`insert into dlq_events (event_type, payload) values ('a', '{"id": "ORD-10231"}')`);
    await has('ord-10231');
    await database().sql(`update dlq_events set payload = '{"id": "ORD-10299"}'`);
    await hasNot('ord-10231');
    await has('ord-10299');
    await database().sql(`update dlq_events set error_reason = 'no stock of SKU-99017'`);
    await has('ord-10299');
    await has('sku-99017');
  });

  it('has its hashes with its segment, from SQL and from the capture function', async () => {
    await database().sql(`select setval('dlq_events_id_seq', 131072 * 65)`);
    const body = Buffer.from('{"id": "ORD-10231"}');
    await capture({ body });
    await database().sql(`insert into dlq_events (event_type, payload) values ('a', '{"id": "ORD-10231"}')`);
    const rows = await database().sql('select (ascii(id_hashes) >> 16) - 1 as segment from dlq_events');
    assert.deepEqual(rows, [{ segment: 1 }, { segment: 1 }]);
    assert.equal(await findBy('ORD-10231'), 2);
  });

  it('has the same hashes from SQL and from the capture function', async () => {
    const pieces = fc.constantFrom(
      ...'aZ09-_/ ":é',
      ...['123', '2026-03-01', 'T10', 'ORD-', '\\n', '\\u00e9', '177236', '\\', ' 0.'],
    );
    const random = fc.array(pieces, { maxLength: 40 }).map((some) => some.join(''));
    const said = [
      ...Object.keys(texts),
      ...Object.values(others),
      orders(20).join(' '),
      ...fc.sample(random, 300),
    ];
    await database().sql(
      `insert into dlq_events (event_type, payload, error_reason) select 'a', '{}', text from unnest($1::text[]) as text`,
      [said],
    );
    const rows = await database().sql('select error_reason, id_hashes from dlq_events');
    for (const { error_reason: text, id_hashes: hashes } of rows) {
      const stored = Array.from(String(hashes), (hash) => (hash.codePointAt(0) ?? 0) & 0xffff);
      assert.deepEqual(stored, hashIds([String(text)]), String(text));
    }
  });
});
