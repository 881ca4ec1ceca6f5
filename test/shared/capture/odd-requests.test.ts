import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { openSources } from '../../../shared/capture/sources/find-source.ts';
import { readCapture } from '../../support/read-capture.ts';

const structured = { 'content-type': 'application/cloudevents+json' };
const binary = { 'ce-specversion': '1.0', 'ce-id': '9', 'ce-source': '/b', 'ce-type': 'u' };
const latin1 = { 'content-type': 'text/plain; charset="iso-8859-1"' };
const event = (members: object) =>
  JSON.stringify({ specversion: '1.0', id: '1', source: '/a', type: 't', ...members });
const read = (record: object, body: string, headers: Record<string, string>, signature?: string) => {
  const of = { name: 'shop', keepHeaders: [], withholdHeaders: [], ...record };
  const { source, path } = openSources([of])('/capture/shop');
  const query = new URLSearchParams('id=q-7');
  const signed = signature === undefined ? {} : { signature };
  return readCaptures({ path, query, headers, body: Buffer.from(body), source, ...signed })[0];
};

describe('an undeclared object with the members of a report', () => {
  const position = { topic: 't', partition: 0, offset: 1 };
  const readings: readonly [body: object, headers: Record<string, string>, key: string | null][] = [
    [{ error: 'x' }, {}, null],
    [{ error: 'x', eventId: '1' }, {}, 'id:1'],
    [{ error: 'x' }, { 'dlo-event-id': '1' }, 'id:1'],
    [{ error: 'x', source: position }, {}, 'kafka:t/0/1'],
    [{ error: 'x', source: position, eventId: '1' }, {}, 'id:1'],
    [{ error: 'x', source: { topic: 't', partition: 0 } }, {}, null],
    [{ error: { message: 'x' }, eventId: '1' }, {}, 'id:1'],
    [{ error: { message: 'x', line: 7 }, eventId: '1' }, {}, null],
    [{ error: { message: 'x', line: 7 }, eventId: '1', payload: 1 }, {}, 'id:1'],
    [{ error: 7, eventId: '1' }, {}, null],
    [{ error: null, eventId: '1' }, {}, null],
    [{ eventId: '1' }, {}, null],
  ];
  for (const [body, headers, key] of readings) {
    const sent = `${JSON.stringify(body)} ${JSON.stringify(headers)}`;
    it(`is ${key === null ? 'a message' : `a report about ${key}`}: ${sent}`, () => {
      const { transport, eventKey } = readCapture(body, headers);
      assert.equal(transport === 'report' ? eventKey : null, key);
    });
  }

  it('names the publication of its position, if it names one', () => {
    const found = [position, {}].map(
      (source) => readCapture({ error: 'x', source, eventId: '1' }).publication,
    );
    assert.deepEqual(found, ['@kafka:t/0/1', null]);
  });
});

describe('a report that has its message twice', () => {
  it('says of the payload that it was ignored, if that is another one', () => {
    const ignored = [null, 1, 2].map((payload) => {
      const { body, metadata } = readCapture({ error: 'x', payload, payloadBase64: 'MQ==' });
      return [body.toString(), metadata?.ignored];
    });
    assert.deepEqual(ignored, [
      ['1', undefined],
      ['1', undefined],
      ['1', { payload: 2 }],
    ]);
  });
});

describe('an undeclared object with the members of a CloudEvent', () => {
  for (const [what, members] of Object.entries({
    'another member that is a list': { data: 1, items: [1] },
    'a name that no attribute has': { data: 1, Order: 'x' },
  })) {
    it(`is a message if it has ${what}`, () => {
      const { transport, body } = readCapture(event(members));
      assert.deepEqual([transport, body.toString()], ['value', event(members)]);
    });
  }
});

describe('a CloudEvent in JSON', () => {
  it('has bytes in the charset that it declares, and text in that of JSON', () => {
    const datacontenttype = 'text/plain; Charset="iso-8859-1"';
    const data_base64 = Buffer.from('ü', 'latin1').toString('base64');
    const bytes = readCapture(event({ datacontenttype, data_base64 }), structured);
    const text = readCapture(event({ datacontenttype, data: 'ü' }), structured);
    assert.deepEqual([bytes.contentType, bytes.payload.content], [datacontenttype, 'ü']);
    assert.deepEqual([text.contentType, text.body.toString()], ['text/plain; charset=utf-8', 'ü']);
  });

  it('keeps the escape of a text that UTF-8 cannot encode', () => {
    const [start = ''] = event({ datacontenttype: 'text/plain', data: 0 }).split('0}');
    const { body } = readCapture(`${start}"\\ud800"}`, structured);
    assert.equal(body.toString(), '"\\ud800"');
  });

  it('is the data of the event whose attributes are headers', () => {
    const body = event({ data: 1 });
    const capture = readCapture(body, { ...binary, 'content-type': 'application/json' });
    assert.deepEqual([capture.eventId, capture.eventType, capture.body.toString()], ['9', 'u', body]);
  });
});

describe('a body in a declared charset', () => {
  it('may begin as a byte-order mark does', () => {
    for (const text of ['ïa', 'ï»a', 'ÿa', 'þa'])
      assert.equal(readCapture(Buffer.from(text, 'latin1'), latin1).payload.content, text);
  });

  it('has no text if it is empty', () => {
    assert.equal(readCapture('', latin1).payload.encoding, 'none');
  });

  it('of zero bytes is in none', () => {
    const { payload, unread } = readCapture(Buffer.from([0, 0, 0x7b]), {
      'content-type': 'application/json',
    });
    assert.deepEqual([payload.encoding, unread], ['base64', 'not JSON: position 0']);
  });
});

describe('a body that is not compressed as it declares', () => {
  for (const [encoding, reason] of Object.entries({
    gzip: 'not gzip',
    'gzip, br, deflate, gzip':
      'Content-Encoding "gzip, br, deflate, gzip" is none of gzip, x-gzip, deflate, br, zstd (up to three): kept as sent',
  })) {
    it(`is kept: ${encoding}`, () => {
      const { body, payload, unread } = readCapture('{"a":1}', { 'content-encoding': encoding });
      assert.deepEqual([body.toString(), payload.encoding, unread], ['{"a":1}', 'json', reason]);
    });
  }
});

describe('a message of Pub/Sub', () => {
  const push = (attributes: object, orderingKey?: string) =>
    readCapture({ message: { messageId: '1', data: 'e30=', attributes, orderingKey }, subscription: 's' });

  it('has the id that its sender gave it, which is none of a redelivery', () => {
    const redelivery = `7.${'a'.repeat(32)}`;
    const [own, again] = ['ord-1', redelivery].map((id) => push({ 'dlo-event-id': id }));
    assert.deepEqual([own?.eventKey, own?.eventId, own?.redelivery], ['id:ord-1', 'ord-1', null]);
    assert.deepEqual([again?.eventKey, again?.eventId, again?.redelivery], ['pubsub:s/1', null, redelivery]);
  });

  it('has a key that PostgreSQL stores for any id', () => {
    assert.equal(push({ eventId: 'a\0@%' }).eventKey, 'id:a%00%40%25');
  });

  it('has the bytes of an ordering key that PostgreSQL cannot store', () => {
    const { sourceKey, sourceKeyBase64 } = push({}, 'a\0b');
    assert.deepEqual([sourceKey, sourceKeyBase64], ['a\uFFFDb', Buffer.from('a\0b').toString('base64')]);
  });
});

describe('the query of a request', () => {
  it('tells messages without an id apart, unless the request is signed', () => {
    const keyOf = (query: string, signature?: string) =>
      readCaptures({
        ...{ path: '/', query: new URLSearchParams(query), headers: {}, body: Buffer.from('{}') },
        ...(signature !== undefined && { signature }),
      })[0]?.eventKey;
    assert.notEqual(keyOf('a=1'), keyOf('a=2'));
    assert.equal(keyOf('a=1', 'signature'), keyOf('a=2', 'signature'));
  });
});

describe('the member "error" of a message', () => {
  it('is the reason unless headers tell a reason or a class', () => {
    const reasons = [{}, { 'dlo-error-class': 'A' }, { 'dlo-error-reason': 'other' }].map(
      (headers) => readCapture('{"error":"x","a":1}', headers).errorReason,
    );
    assert.deepEqual(reasons, ['x', null, 'other']);
  });
});

describe('a source', () => {
  it('reads the query of an unsigned request alone: no signature covers it', () => {
    const record = { id: ['query:id'] };
    assert.equal(read(record, '{}', {})?.eventId, 'q-7');
    assert.equal(read(record, '{}', {}, 'signature')?.eventId, null);
  });

  it('reads the fields of a form alone', () => {
    const record = { id: ['form:/id'] };
    const ids = ['Application/X-WWW-Form-Urlencoded', 'text/plain'].map(
      (type) => read(record, 'id=7', { 'content-type': type })?.eventId,
    );
    assert.deepEqual(ids, ['7', null]);
  });

  it('names the id in place of that of a header or a CloudEvent', () => {
    const record = { id: ['header:x-id'] };
    for (const headers of [{ 'dlo-event-id': 'own' }, binary])
      assert.equal(read(record, '{}', { 'x-id': '5', ...headers })?.eventId, '5');
  });
});
