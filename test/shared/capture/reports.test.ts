import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCapture } from '../../support/read-capture.ts';

const mediaType = 'application/vnd.dead-letter-office.report+json; charset=utf-8';
const error = { class: 'PaymentDown', message: '503', stack: 'at pay' };
const report = { eventType: 'order.created', eventId: 'evt-1', payload: { orderId: 1 }, error };

describe('a report', () => {
  for (const [name, body, type] of [
    ['has an error object', report, 'application/json'],
    ['has an error text', { ...report, error: '503' }, 'text/plain'],
    ['is declared by its media type', { ...report, error: undefined }, mediaType],
  ] as const) {
    it(name, () => {
      const capture = readCapture(body, { 'content-type': type });
      assert.equal(capture.transport, 'report');
      assert.equal(capture.eventKey, 'id:evt-1');
      assert.deepEqual(capture.body, Buffer.from('{"orderId":1}'));
      assert.deepEqual([capture.origin, capture.ignored], ['report', []]);
    });
  }

  it('has the message that it declares, although that has the form of a dead letter', () => {
    const payload = { errorMessage: 'no such table', payloadString: '{"orderId": 1}' };
    const { body, errorReason } = readCapture({ ...report, payload });
    assert.deepEqual([body.toString(), errorReason], [JSON.stringify(payload), '503']);
  });

  it('is no message that has a type, an id and a payload: every byte, topic and key of it are kept', () => {
    const body = '{"eventType": "order", "eventId": "evt-1", "payload": {}, "tenant": "acme"}';
    const capture = readCapture(body, {}, '/capture/orders/k1');
    assert.equal(capture.body.toString(), body);
    assert.deepEqual([capture.sourceTopic, capture.sourceKey], ['orders', 'k1']);
    assert.deepEqual([capture.transport, capture.eventId, capture.origin], ['value', null, null]);
  });

  it('is a message, if it has a member that is no field of a report: its error is read, and decides nothing', () => {
    const body =
      '{"orderId": 9007199254740993, "error": {"message": "no stock", "code": 5, "kind": "permanent"}}';
    const capture = readCapture(body, { tenant: 'eu' }, '/orders/k1');
    assert.equal(capture.body.toString(), body);
    assert.deepEqual(
      [capture.errorReason, capture.errorKind, capture.eventType, capture.origin],
      ['no stock', null, 'orders', null],
    );
    assert.deepEqual(
      [capture.sourceTopic, capture.sourceKey, capture.headers],
      ['orders', 'k1', { tenant: 'eu' }],
    );
    assert.deepEqual([capture.transport, capture.metadata, capture.ignored], ['value', null, []]);
  });

  it('that is declared is one without content, if it has neither type nor payload', () => {
    const capture = readCapture({ eventId: 'evt-1', error: 'timeout' }, { 'content-type': mediaType });
    assert.deepEqual([capture.eventId, capture.errorReason], ['evt-1', 'timeout']);
    assert.deepEqual([capture.body.length, capture.origin], [0, 'report']);
  });

  it('has headers of bytes, and of several values, in the notation in which events keep them', () => {
    const headers = {
      tenant: ['a', { base64: 'Yg==' }],
      binary: { base64: 'AP8=' },
      pair: ['authorization', 'x'],
    };
    const capture = readCapture({ ...report, headers }, { 'content-type': mediaType });
    assert.deepEqual(capture.headers, { tenant: ['a', 'b'], binary: { base64: 'AP8=' } });
    assert.deepEqual(capture.ignored, ['headers.pair']);
  });

  it('whose payloadBase64 is not base64 keeps it as text, and says so', () => {
    for (const [payloadBase64, text] of [
      ['a b=', 'a b='],
      [[1.5], '[1.5]'],
    ]) {
      const { body, unread, ignored } = readCapture({ error: 'm', eventId: 'e', payloadBase64 });
      assert.deepEqual([body.toString(), ignored], [text, []]);
      assert.equal(unread, 'payloadBase64 is not base64: kept as text');
    }
  });

  it('that was read has a message of any bytes, and nothing of it is unread', () => {
    const capture = readCapture(
      { ...report, payload: undefined, payloadBase64: 'AP8=' },
      { 'content-type': mediaType },
    );
    assert.deepEqual([capture.body, capture.unread], [Buffer.from([0, 255]), null]);
  });

  it('that is declared and cut off is kept whole', () => {
    const capture = readCapture('{"eventType": "ord', { 'content-type': mediaType });
    assert.equal(capture.body.toString(), '{"eventType": "ord');
    assert.deepEqual([capture.transport, capture.sourceKind], ['report', 'report']);
  });

  it('without a type has the type unknown, not that of its topic', () => {
    const capture = readCapture({ payload: 1, error: 'timeout', source: { topic: 'orders' } });
    assert.equal(capture.eventType, 'unknown');
  });

  it('can name its facts as errors and consumers of most languages do', () => {
    const names = [
      { error: { name: 'E', message: 'm', stack: 's' }, source: { group: 'billing' } },
      { error: { type: 'E', message: 'm', stacktrace: 's' }, source: { consumerGroup: 'billing' } },
    ];
    for (const each of names) {
      const { errorClass, errorReason, errorStacktrace, consumerGroup, ignored } = readCapture({
        ...report,
        ...each,
      });
      assert.deepEqual([errorClass, errorReason, errorStacktrace, consumerGroup], ['E', 'm', 's', 'billing']);
      assert.deepEqual(ignored, []);
    }
  });

  it('has the identity of the CloudEvent that its headers are, also if it repeats the id', () => {
    const headers = { 'ce-specversion': '1.0', 'ce-id': 'e-1', 'ce-source': '/shop', 'ce-type': 'paid' };
    const body = { payload: 1, error: 'timeout', headers };
    const { eventKey } = readCapture({}, headers);
    const keys = [undefined, 'e-1', 'e-2'].map((eventId) => readCapture({ ...body, eventId }).eventKey);
    assert.deepEqual(keys, [eventKey, eventKey, 'id:e-2']);
    const { 'ce-source': _, ...unnamed } = headers;
    assert.equal(readCapture({ ...body, headers: unnamed, eventId: 'e-1' }).eventKey, 'id:e-1');
  });

  it('keeps all digits of numbers that name an event', () => {
    const capture = readCapture(
      '{"eventId": 9007199254740993, "payload": 1, "error": "e", "source": {"offset": 9007199254740993, "key": 1.10}}',
    );
    assert.deepEqual(
      [capture.eventId, capture.sourceOffset, capture.sourceKey],
      ['9007199254740993', '9007199254740993', '1.10'],
    );
  });

  it('decodes base64 and base64url, with or without padding and line breaks', () => {
    const bytes = Buffer.from([0xfb, 0xff, 0xfe, 0x00]);
    for (const payloadBase64 of ['+//+AA==', '+//+AA', '-__-AA', '-__-AA==', '+//+\r\nAA==\n']) {
      const capture = readCapture({ ...report, payload: undefined, payloadBase64 });
      assert.deepEqual([capture.body, capture.origin, capture.ignored], [bytes, 'report', []]);
    }
  });

  it('keeps any other value of payloadBase64 as its text', () => {
    const capture = readCapture('{"error":"e","eventId":"1","payloadBase64":5.0}');
    assert.deepEqual([capture.body.toString(), capture.ignored], ['5.0', []]);
    const none = readCapture({ ...report, payloadBase64: null });
    assert.deepEqual([none.body.toString(), none.ignored], ['{"orderId":1}', []]);
  });

  it('keeps a text in payloadBase64 that is not base64', () => {
    const payloadBase64 = '{"plain": "json, größer"}';
    const capture = readCapture({ ...report, payload: undefined, payloadBase64 });
    assert.equal(capture.body.toString(), payloadBase64);
    assert.deepEqual([capture.origin, capture.ignored], ['report', []]);
  });

  it('keeps both payload and payloadBase64, if they differ', () => {
    const both = readCapture({ ...report, payloadBase64: 'AAE=' });
    assert.deepEqual([both.body, both.origin], [Buffer.from([0, 1]), 'report']);
    assert.deepEqual([both.ignored, both.metadata], [['payload'], { ignored: { payload: { orderId: 1 } } }]);
    const same = readCapture({ ...report, payloadBase64: Buffer.from('{"orderId":1}').toString('base64') });
    assert.deepEqual(same.ignored, []);
  });

  it('without content and identity is another event if anything in it differs', () => {
    const keys = ['a', 'b', 'a'].map(
      (message) => readCapture({ eventType: 't', error: { message } }).eventKey,
    );
    assert.equal(keys[0], keys[2]);
    assert.notEqual(keys[0], keys[1]);
  });
});
