import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { listIds } from '../../../shared/message/list-ids.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';

const ids = {
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
  'very long values': 'a1b2c3'.repeat(11),
};

describe('the values that look like ids', () => {
  const database = useDatabase();
  const listInSql = async (text: string) => {
    const [row] = await database().sql('select dlq_list_ids($1) as ids', [text]);
    return row?.ids;
  };

  for (const [text, expected] of Object.entries(ids)) {
    it(`are found in ${text}`, async () => {
      assert.deepEqual([listIds([text]), await listInSql(text)], [expected, expected]);
    });
  }

  for (const [name, text] of Object.entries(others)) {
    it(`are not ${name}`, async () => {
      assert.deepEqual([listIds([text]), await listInSql(text)], [[], []]);
    });
  }

  it('are at most 12 of an event, the first ones', async () => {
    const text = Array.from({ length: 20 }, (_, i) => `ORD-${1000 + i}`).join(' ');
    const expected = Array.from({ length: 12 }, (_, i) => `ord-${1000 + i}`);
    assert.deepEqual([listIds([text]), await listInSql(text)], [expected, expected]);
  });

  it('are the same in SQL and in the capture function', async () => {
    const piece = fc.constantFrom(
      ...'aZ09-_.\\/ ":é',
      '123',
      '2026-03-01',
      'T10',
      'ORD-',
      '\\n',
      '\\u00e9',
      '177236',
    );
    const texts = fc.sample(
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
      500,
    );
    const rows = await database().sql(
      'select text, dlq_list_ids(text) as ids from unnest($1::text[]) as text',
      [texts],
    );
    for (const { text, ids: found } of rows) assert.deepEqual(listIds([String(text)]), found, `${text}`);
  });
});

describe('an event', () => {
  const database = useDatabase();
  const findBy = async (id: string) => {
    const found = await database().sql('select id from dlq_events where id_hashes && dlq_search_hashes($1)', [
      id,
    ]);
    return found.length;
  };
  const has = async (id: string) => assert.equal(await findBy(id), 1, `${id} finds one event`);
  const hasNot = async (id: string) => assert.equal(await findBy(id), 0, `${id} finds no event`);

  it('is found by the ids of its error, key and message when it was captured', async () => {
    await database().clear();
    const body = Buffer.from('{"order": {"id": "ORD-10231"}}');
    const capture = aCapture({ body, errorReason: 'no stock of SKU-99017', sourceKey: 'shop-00042' });
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, [capture]);
    await has('ord-10231');
    await has('sku-99017');
    await has('shop-00042');
    await hasNot('ord-10232');
  });

  it('is found by its ids when an application captured it in SQL', async () => {
    await database().clear();
    await database().sql(
      `select dlq_capture('order.created', '{"id": "ORD-10231"}', 'no stock of SKU-99017')`,
    );
    await has('ord-10231');
    await has('sku-99017');
  });

  it('is found by the ids of what plain SQL changed it to', async () => {
    await database().clear();
    await database().sql(`insert into dlq_events (event_type, payload) values ('a', '{"id": "ORD-10231"}')`);
    await has('ord-10231');
    await database().sql(`update dlq_events set payload = '{"id": "ORD-10299"}'`);
    await hasNot('ord-10231');
    await has('ord-10299');
    await database().sql(`update dlq_events set error_reason = 'no stock of SKU-99017'`);
    await has('ord-10299');
    await has('sku-99017');
  });

  it('keeps no id in clear in what finds it', async () => {
    const [{ type } = { type: '' }] = await database().sql(
      `select format_type(atttypid, atttypmod) as type from pg_attribute
       where attrelid = 'dlq_events'::regclass and attname = 'id_hashes'`,
    );
    assert.equal(type, 'integer[]');
  });
});
