import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { readConfig } from '../../../shared/environment/config.ts';
import { readBySources as read } from '../../support/read-sources.ts';

const shop = {
  name: 'shop',
  id: 'json:/order/id',
  type: 'header:x-topic',
  key: 'json:/customer',
  consumer: 'json:/by',
};
const order = { order: { id: 9 }, customer: 'c1', by: 'billing' };

describe('a source', () => {
  it('says where id, type, key and consumer of its messages are', () => {
    const [capture] = read([shop], { path: '/capture/shop', headers: { 'x-topic': 'paid' }, body: order });
    const { eventId, eventType, sourceKey, consumerGroup, body, sourceKind } = capture as Capture;
    assert.deepEqual([eventId, eventType, sourceKey, consumerGroup], ['9', 'paid', 'c1', 'billing']);
    assert.deepEqual([body.toString(), sourceKind], [JSON.stringify(order), 'shop']);
  });

  it('may find them in a form, in the JSON of its fields, and in the query', () => {
    const places = { id: 'query:messageId', type: 'json:/kind | form:/payload/kind', key: 'form:/To[n]' };
    for (const name of ['To%5Bn%5D', 'To[n]']) {
      const [capture] = read([{ name: 'shop', ...places }], {
        path: '/capture/shop',
        query: 'messageId=m-1',
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
        body: `payload=%7B%22kind%22%3A%22sent%22%7D&${name}=%2B49+1`,
      });
      assert.deepEqual([capture?.eventId, capture?.eventType, capture?.sourceKey], ['m-1', 'sent', '+49 1']);
    }
  });

  it('tells ids apart that differ past 2^53', () => {
    const source = { name: 'shop', id: 'json:/id' };
    const ids = ['9007199254740992', '9007199254740993'].map(
      (id) => read([source], { path: '/capture/shop', body: `{"id":${id}}` })[0]?.eventId,
    );
    assert.deepEqual(ids, ['9007199254740992', '9007199254740993']);
  });

  it('names no id if a part of it is missing: the rest would be that of other messages', () => {
    const source = { name: 'jobs', preset: 'cloud-scheduler' };
    const [run] = read([source], {
      path: '/capture/jobs',
      headers: { 'x-cloudscheduler-jobname': 'invoices' },
      body: {},
    });
    assert.deepEqual([run?.eventId, run?.eventType], [null, 'invoices']);
    assert.ok(run?.eventKey.startsWith('sha256:'));
  });

  it('keeps its messages without an id apart from equal ones of others', () => {
    const sources = [{ name: 'shop' }, { name: 'crm' }];
    for (const headers of [{}, { 'idempotency-key': '1' }]) {
      const keys = ['/capture', '/capture/shop', '/capture/crm'].map(
        (path) => read(sources, { path, headers, body: { ping: true } })[0]?.eventKey,
      );
      assert.equal(new Set(keys).size, 3);
    }
  });

  it('declares a format, and the charset stays that of the request', () => {
    const headers = { 'content-type': 'text/plain; charset=iso-8859-1' };
    const source = { name: 'shop', format: 'report' };
    const body = Buffer.from('{"error":"größer","payload":1,"eventId":"1"}', 'latin1');
    const [capture] = read([source], { path: '/capture/shop', headers, body });
    assert.deepEqual([capture?.errorReason, capture?.eventId], ['größer', '1']);
  });

  for (const format of ['report', 'pubsub', 'sidekiq', 'kafka-binary']) {
    it(`that declares ${format} keeps any other message whole, and the answer says so`, () => {
      for (const body of ['5', '[{"a":1},{"a":2}]', '{"a":1.50}']) {
        if (format === 'report' && body !== '5') continue;
        const source = { name: 'shop', format, split: false };
        const [capture] = read([source], { path: '/capture/shop', body });
        assert.equal(capture?.body.toString(), body);
        assert.equal(capture?.unread, `not of the format ${format.replace(/-.*/, '')}`);
      }
    });
  }

  it('that declares a media type keeps that of a message which is none of it', () => {
    for (const format of ['report', 'kafka-binary']) {
      const headers = { 'content-type': 'text/plain; charset=utf-8' };
      const [capture] = read([{ name: 'shop', format }], { path: '/capture/shop', headers, body: 'hello' });
      assert.deepEqual(
        [capture?.body.toString(), capture?.contentType, capture?.unread],
        ['hello', 'text/plain; charset=utf-8', 'not JSON: position 0'],
      );
    }
  });

  it('keeps a credential that it names', () => {
    const source = { name: 'shop', keepHeaders: ['x-hook-token'] };
    const headers = { 'x-hook-token': 'a', 'x-other-token': 'b' };
    const [capture] = read([source], { path: '/capture/shop', headers, body: {} });
    assert.deepEqual(capture?.headers, { 'x-hook-token': 'a' });
    assert.deepEqual(capture?.metadata, { withheld: ['x-other-token'] });
  });

  it('has a topic and a key behind its name in the path', () => {
    const [capture] = read([{ name: 'shop' }], { path: '/capture/shop/orders/k%201', body: {} });
    assert.deepEqual([capture?.sourceTopic, capture?.sourceKey], ['orders', 'k 1']);
    const [other] = read([{ name: 'shop' }], { path: '/capture/shops/k', body: {} });
    assert.deepEqual([other?.sourceTopic, other?.sourceKind], ['shops', 'unknown']);
  });

  it('named default reads what has no other source', () => {
    const [capture] = read([{ name: 'default', type: 'json:/t' }], {
      path: '/capture/orders',
      body: { t: 'a' },
    });
    assert.deepEqual([capture?.eventType, capture?.sourceTopic], ['a', 'orders']);
  });

  it('declares reports, whose other members are kept beside them', () => {
    const body = { payload: { a: 1 }, error: 'no stock', shelf: 7 };
    const [report] = read([{ name: 'shop', format: 'report' }], { path: '/capture/shop', body });
    assert.deepEqual([report?.body.toString(), report?.ignored], ['{"a":1}', ['shelf']]);
  });

  it('declares messages, which are kept whole although they look like a report', () => {
    const body = { eventType: 'a', eventId: '1', payload: { a: 1 }, error: 'no stock' };
    const [message] = read([{ name: 'shop', format: 'message' }], { path: '/capture/shop', body });
    assert.equal(message?.body.toString(), JSON.stringify(body));
  });

  it('declares messages, of which none is split unless the source says so', () => {
    const bodies = [
      ['application/json', '[{"a":1},{"a":2}]'],
      ['application/x-ndjson', '{"a":1}\n{"a":2}\n'],
      ['application/cloudevents-batch+json', '[{"specversion":"1.0","id":"1","source":"s","type":"t"},1]'],
    ] as const;
    for (const [type, body] of bodies) {
      const sent = { path: '/capture/shop', headers: { 'content-type': type }, body };
      const whole = read([{ name: 'shop', format: 'message' }], sent);
      assert.deepEqual(
        whole.map((each) => [each.body.toString(), each.contentType, each.unread]),
        [[body, type, null]],
      );
      assert.equal(read([{ name: 'shop', format: 'message', split: true }], sent).length, 2);
    }
  });

  it('declares base64 in records of Kafka', () => {
    const record = { topic: 'orders', partition: 0, offset: 1, key: null, value: 'aGk=', headers: [] };
    const [capture] = read([{ name: 'bridge', format: 'kafka-binary' }], { path: '/bridge', body: [record] });
    assert.equal(capture?.body.toString(), 'hi');
  });

  it('says whether arrays and lines are split; the parts keep the headers of their request', () => {
    const sent = { path: '/capture/shop', headers: { tenant: 'acme', 'webhook-id': '1' }, body: '[1, 2]' };
    assert.deepEqual(
      read([{ name: 'shop', split: false }], sent).map(({ body }) => body.toString()),
      ['[1, 2]'],
    );
    const parts = read([{ name: 'shop', split: true }], sent);
    assert.deepEqual(
      parts.map(({ body, headers }) => [body.toString(), headers]),
      [
        ['1', { tenant: 'acme' }],
        ['2', { tenant: 'acme' }],
      ],
    );
    const bulk = {
      path: '/shop/_bulk',
      headers: { 'content-type': 'application/x-ndjson' },
      body: '{"a":1}\n{"b":2}\n',
    };
    assert.equal(read([{ name: 'shop', split: false }], bulk).length, 1);
  });

  it('keeps and withholds headers by name', () => {
    const source = { name: 'shop', keepHeaders: ['x-forwarded-for'], withholdHeaders: ['x-secret-*'] };
    const headers = { 'x-forwarded-for': '::1', 'x-secret-a': 's', 'user-agent': 'curl', tenant: 'acme' };
    const [capture] = read([source], { path: '/shop', headers, body: {} });
    assert.deepEqual(capture?.headers, { 'x-forwarded-for': '::1', tenant: 'acme' });
  });

  it('has the fields of its preset where it has none', () => {
    const source = { name: 'fal', preset: 'job-webhook', type: 'json:/model' };
    const body = { request_id: 'r-2', model: 'flux', status: 'ERROR', error: 'offline', payload: null };
    const [capture] = read([source], { path: '/capture/fal', body });
    const { eventId, eventType, errorReason } = capture as Capture;
    assert.deepEqual([eventId, eventType, errorReason], ['r-2', 'flux', 'offline']);
    assert.equal(capture?.body.toString(), JSON.stringify(body));
  });

  it('reports all problems of its record at once, without its secret', () => {
    const wrong = { format: 'nope', type: 'json:/a as time', keepHeaders: 'x', secret: 'short', colour: 1 };
    const sources = [{ name: 'Shop', id: 'json:id', ...wrong }];
    assert.throws(
      () => readConfig({ DATABASE_URL: 'postgres://localhost/a', SOURCES: JSON.stringify(sources) }),
      (error: Error) => {
        for (const field of ['name', 'id', 'format', 'type', 'keepHeaders', 'secret', 'colour'])
          assert.match(error.message, new RegExp(`SOURCES\\[0\\]\\.${field}`));
        assert.doesNotMatch(error.message, /short/);
        return true;
      },
    );
    const twice = JSON.stringify([{ name: 'a', key: 5 }, { name: 'a' }]);
    assert.throws(
      () => readConfig({ DATABASE_URL: 'postgres://localhost/a', SOURCES: twice }),
      /SOURCES\[0\]\.key[\s\S]*Give each source a name of its own/,
    );
  });
});
