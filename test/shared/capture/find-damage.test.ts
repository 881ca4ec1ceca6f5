import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCapture } from '../../support/read-capture.ts';

const position = { 'kafka.topic': 'orders', 'kafka.partition': '3', 'kafka.offset': '7' };
const bridge = (attributes: object) =>
  readCapture({
    message: { messageId: '1', data: 'e30=', attributes },
    subscription: 'projects/p/subscriptions/s',
  });

describe('a Kafka record that came by the Pub/Sub sink connector', () => {
  it('is no exact copy, since the connector may have changed key and headers', () => {
    assert.equal(bridge({ ...position, key: 'k' }).origin, 'bridge');
    assert.equal(bridge({ key: 'k' }).origin, 'bridge');
    assert.equal(bridge({ '__connect.errors.topic': 'orders' }).origin, 'bridge');
    assert.equal(bridge({ tenant: 'eu' }).origin, null);
    assert.equal(bridge({ ...position, key: 'k', tenant: 'eu' }).metadata, null);
  });

  it('says which key and headers lost bytes', () => {
    const { metadata } = bridge({
      ...position,
      key: 'a\uFFFDb',
      x: '\uFFFD',
      long: '\u0009\u0001',
      y: 'tab\tline\n',
    });
    assert.deepEqual(metadata, { damaged: ['key', 'headers.x', 'headers.long'] });
  });

  it('does not name headers that Spring wrote about the failure', () => {
    const { metadata } = bridge({ ...position, 'kafka_dlt-original-timestamp': '\u0001\uFFFD' });
    assert.equal(metadata, null);
  });

  it('does not store the bytes of a damaged key as exact', () => {
    const { sourceKey, sourceKeyBase64 } = bridge({ ...position, key: '\u0000\u0001\uFFFD\uFFFD' });
    assert.deepEqual([sourceKey, sourceKeyBase64], ['\uFFFD\u0001\uFFFD\uFFFD', null]);
  });

  it('keeps the bytes of a key with control characters, which are all there', () => {
    const { metadata, sourceKeyBase64 } = bridge({ ...position, key: 'cust\u0000' });
    assert.deepEqual([metadata, sourceKeyBase64], [{ damaged: ['key'] }, 'Y3VzdAA=']);
  });

  it('keeps a damaged key of any length', () => {
    const key = '\uFFFD'.repeat(601);
    assert.equal(bridge({ ...position, key }).sourceKey, key);
  });
});

describe('a message of any transport', () => {
  const record = (key: Buffer, header: Buffer) =>
    readCapture(
      [
        {
          topic: 'orders',
          partition: 3,
          offset: 7,
          key: key.toString('base64'),
          value: '',
          headers: [{ key: 'x', value: header.toString('base64') }],
        },
      ],
      { 'content-type': 'application/vnd.kafka.binary.v2+json' },
    );

  it('says that its key and headers have U+FFFD', () => {
    const text = Buffer.from('\uFFFD');
    assert.deepEqual(record(text, text).metadata, { damaged: ['key', 'headers.x'] });
    const value = readCapture('{"a": 1}', { tenant: 'M\uFFFDller' }, '/orders/%EF%BF%BD');
    assert.deepEqual([value.metadata, value.origin], [{ damaged: ['key', 'headers.tenant'] }, 'bridge']);
  });

  it('is exact with bytes that are no text, control characters and numbers', () => {
    const exact = record(Buffer.from([0, 1, 0xff, 0xfe]), Buffer.from([0, 9, 0xff]));
    assert.deepEqual([exact.metadata, exact.sourceKeyBase64], [null, 'AAH//g==']);
    assert.equal(record(Buffer.from('\u0001'), Buffer.from('1.10')).metadata, null);
  });
});
