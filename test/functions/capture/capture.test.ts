import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { useDatabase } from '../../support/database.ts';
import { type DatabaseLink, openDatabaseLink } from '../../support/database-link.ts';
import { useFunction } from '../../support/framework.ts';
import { readBodies } from '../../support/stored-bodies.ts';

describe('the capture function', () => {
  const database = useDatabase();
  let link: DatabaseLink;
  before(async () => {
    link = await openDatabaseLink(database().url);
  });
  after(() => link.cut());
  const capture = useFunction('capture', () => ({ DATABASE_URL: link.url }));
  const json = { 'content-type': 'application/json' };
  const post = (body: Buffer | string, headers: Record<string, string> = json) =>
    fetch(capture().url, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) });
  const bodies = () => readBodies(database());

  beforeEach(() => database().clear());

  it('responds after the commit with the id of each event', async () => {
    const answer = await post('{"eventType": "order", "payload": 1}');
    const { events } = (await answer.json()) as { events: { id: string; isNew: boolean }[] };
    const [row] = await database().sql('select id from dlq_events');
    assert.deepEqual([answer.status, events[0]?.id, events[0]?.isNew], [200, row?.id, true]);
  });

  it('answers with the type and the id that it has stored', async () => {
    const report = { eventType: 'order\0', eventId: 'A\ud800', error: 'e', payload: 1 };
    const { events } = (await (await post(JSON.stringify(report))).json()) as { events: object[] };
    const [row] = await database().sql<object>(
      'select event_type as "eventType", event_id as "eventId" from dlq_events',
    );
    assert.deepEqual({ ...events[0], ...row }, events[0]);
    assert.deepEqual(row, { eventType: 'order\ufffd', eventId: 'A\ufffd' });
  });

  for (const [name, body] of [
    ['malformed JSON', '{"orderId": "A-1001", oops'],
    ['a bare JSON number', '42'],
    ['an empty body', ''],
    ['bytes that are not UTF-8', Buffer.from([0x00, 0xff, 0xfe, 0x80, 0x0a])],
    ['U+0000 and lone surrogates', String.raw`{"a": "\u0000", "b": "\ud800", "c": "\\u0000"}`],
    ['numbers past 2^53 and repeated keys', '{"n": 12345678901234567890.10, "n": 1e400}'],
    ['a number past the limits of PostgreSQL', '{"n": 1e200000}'],
    ['JSON nested 20,000 levels deep', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ] as const) {
    it(`keeps ${name}, byte for byte`, async () => {
      const answer = await post(body, {
        ...json,
        'ce-specversion': '1.0',
        'ce-id': '1',
        'ce-source': '/s',
        'ce-type': 't',
      });
      assert.equal(answer.status, 200, await answer.text());
      assert.deepEqual(await bodies(), [Buffer.from(body)]);
    });
  }

  it('keeps a body sent to a path that the framework handles itself', async () => {
    const answer = await fetch(new URL('/favicon.ico', capture().url), { method: 'POST', body: 'lost?' });
    assert.equal(answer.status, 200);
    assert.deepEqual(await bodies(), [Buffer.from('lost?')]);
  });

  it('reads topic and key from a path with two leading slashes', async () => {
    const answer = await fetch(`${capture().url}/orders/1`, { method: 'POST', body: 'a value' });
    assert.equal(answer.status, 200);
    const rows = await database().sql('select source_topic, source_key from dlq_events');
    assert.deepEqual(rows, [{ source_topic: 'orders', source_key: '1' }]);
  });

  it('stores a message whose time of publication is the zero time of Go', async () => {
    const message = { data: 'e30=', messageId: '1', publishTime: '0001-01-01T00:00:00Z' };
    const answer = await post(JSON.stringify({ message, subscription: 'projects/p/subscriptions/s' }));
    assert.equal(answer.status, 200, await answer.text());
    assert.deepEqual(await bodies(), [Buffer.from('{}')]);
  });

  it('keeps a body of 10 MiB', async () => {
    const body = Buffer.alloc(10 * 2 ** 20, 'x');
    assert.equal((await post(body, { 'content-type': 'text/plain' })).status, 200);
    assert.deepEqual(await bodies(), [body]);
  });

  it('keeps a chunked body without content-length', async () => {
    const body = ReadableStream.from(['{"order', 'Id": 1', ', oops'].map((piece) => Buffer.from(piece)));
    const answer = await fetch(capture().url, { method: 'POST', headers: json, body, duplex: 'half' });
    assert.equal(answer.status, 200);
    assert.deepEqual(await bodies(), [Buffer.from('{"orderId": 1, oops')]);
  });

  it('stores nothing if the sender disconnects within the body, and serves the next request', async () => {
    const { port } = new URL(capture().url);
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.end('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf of it');
    await once(socket.resume(), 'close');
    assert.equal((await post('an event')).status, 200);
    assert.deepEqual(await bodies(), [Buffer.from('an event')]);
  });

  const encodings = async () =>
    (
      await database().sql<{ e: string | null }>(
        `select headers ->> 'content-encoding' as e from dlq_events order by id`,
      )
    ).map(({ e }) => e);

  it('stores a compressed body decompressed, without its content encoding', async () => {
    await post(gzipSync('{"orderId": 1}'), { ...json, 'content-encoding': 'gzip' });
    assert.deepEqual([await bodies(), await encodings()], [[Buffer.from('{"orderId": 1}')], [null]]);
  });

  it('stores a body decompressed from each encoding that HTTP clients name', async () => {
    const body = Buffer.from('{"orderId": 1}');
    const sent: readonly [encoding: string, bytes: Buffer][] = [
      ['x-gzip', gzipSync(body)],
      ['gzip, identity', gzipSync(body)],
      ['zstd', zstdCompressSync(body)],
      ['deflate', deflateRawSync(body)],
    ];
    for (const [encoding, bytes] of sent) {
      const answer = await post(bytes, { ...json, 'content-encoding': encoding, tenant: encoding });
      assert.equal(answer.status, 200);
    }
    assert.deepEqual(
      await bodies(),
      sent.map(() => body),
    );
    assert.deepEqual(
      await encodings(),
      sent.map(() => null),
    );
  });

  it('answers why a body could not be read, and at which position', async () => {
    const answer = await post('{"a": NaN}', json);
    const { events } = (await answer.json()) as { events: { unread: string }[] };
    assert.equal(events[0]?.unread, 'not JSON: position 6');
  });

  it('stores a body that cannot be decompressed, or only to more than 16 MiB, as received with its content encoding', async () => {
    const kept = [Buffer.from('no gzip'), gzipSync(Buffer.alloc(17 * 2 ** 20))];
    for (const body of kept) await post(body, { ...json, 'content-encoding': 'gzip' });
    assert.deepEqual([await bodies(), await encodings()], [kept, ['gzip', 'gzip']]);
  });

  it('stores a body with a content encoding that does not exist as received, with that encoding', async () => {
    const answer = await post(gzipSync('an event'), { ...json, 'content-encoding': '__proto__' });
    assert.equal(answer.status, 200);
    assert.deepEqual([await bodies(), await encodings()], [[gzipSync('an event')], ['__proto__']]);
  });

  it('keeps the content encoding of a CloudEvent that it cannot decompress', async () => {
    const ce = { 'ce-id': '1', 'ce-source': '/shop', 'ce-type': 'order.created', 'ce-specversion': '1.0' };
    await post('no gzip', { ...ce, 'content-encoding': 'gzip' });
    assert.deepEqual([await bodies(), await encodings()], [[Buffer.from('no gzip')], ['gzip']]);
  });

  it('rejects other methods than POST', async () => {
    const answer = await fetch(capture().url);
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST']);
  });

  it('responds 503 while the database is unavailable, stores nothing, and recovers', async () => {
    const send = () => post('an event', {});
    assert.equal((await send()).status, 200);
    await database().clear('dlq_events');
    await link.cut();
    const rejected = await send();
    assert.deepEqual([rejected.status, rejected.headers.get('retry-after')], [503, '5']);
    await link.mend();
    assert.equal((await send()).status, 200);
    assert.equal((await bodies()).length, 1);
  });
});
