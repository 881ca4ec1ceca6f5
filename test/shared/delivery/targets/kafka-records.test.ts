import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LeasedEvent } from '../../../../shared/delivery/leased-event.ts';
import {
  composeRecord,
  type KafkaRecord,
  toRecord,
} from '../../../../shared/delivery/targets/kafka-rest-target.ts';
import { aLeasedEvent, token } from '../../../support/leased-event.ts';

const record: KafkaRecord = {
  key: Buffer.from('cust-77'),
  isTombstone: false,
  headers: [
    ['hop', Buffer.from('a')],
    ['hop', Buffer.from([0xff])],
  ],
};
const compose = (flavor: keyof typeof composeRecord, more: Partial<KafkaRecord> = {}) => {
  const request = composeRecord[flavor]({ ...record, ...more }, Buffer.from([0, 0xff]));
  return { ...request, body: JSON.parse(request.body) };
};

describe('the record of an event', () => {
  const make = (event: Partial<LeasedEvent>, bodyBytes = 2) =>
    toRecord({ ...aLeasedEvent(event), bodyBytes }, 3);

  it('has a text key as UTF-8', () => {
    assert.deepEqual(make({ sourceKey: 'größe' }).key, Buffer.from('größe'));
  });

  it('has the exact bytes of a binary key', () => {
    const key = Buffer.from([0, 0xff]);

    assert.deepEqual(make({ sourceKey: 'AP8=', sourceKeyBytes: key }).key, key);
    assert.deepEqual(make({ sourceKey: null, sourceKeyBytes: Buffer.alloc(0) }).key, Buffer.alloc(0));
  });

  it('has no key if the event has none', () => {
    assert.equal(make({ sourceKey: null }).key, null);
  });

  it('is a tombstone if the event has no payload, and not if the payload is empty', () => {
    assert.equal(make({ payloadEncoding: 'none' }, 0).isTombstone, true);
    assert.equal(make({ payloadEncoding: 'text' }, 0).isTombstone, false);
  });

  it('has dlo-event-id and dlo-attempt, whatever the event claims', () => {
    const { headers } = make({ id: '42', headers: { 'dlo-event-id': '666', 'dlo-attempt': '0' } });

    assert.deepEqual(
      headers.map(([name, bytes]) => `${name}: ${bytes}`),
      [`dlo-event-id: 42.${token}`, 'dlo-attempt: 3'],
    );
  });
});

describe('a record for Strimzi', () => {
  it('has key, value and headers as base64', () => {
    assert.deepEqual(compose('strimzi'), {
      contentType: 'application/vnd.kafka.binary.v2+json',
      body: {
        records: [
          {
            key: 'Y3VzdC03Nw==',
            value: 'AP8=',
            headers: [
              { key: 'hop', value: 'YQ==' },
              { key: 'hop', value: '/w==' },
            ],
          },
        ],
      },
    });
  });

  it('omits a null key, which that bridge rejects', () => {
    const [sent] = compose('strimzi', { key: null }).body.records ?? [];

    assert.deepEqual(Object.keys(sent), ['value', 'headers']);
  });
});

describe("a record for version 3 of Confluent's proxy", () => {
  it('has key and value as BINARY', () => {
    assert.deepEqual(compose('confluent-v3'), {
      contentType: 'application/json',
      body: {
        key: { type: 'BINARY', data: 'Y3VzdC03Nw==' },
        value: { type: 'BINARY', data: 'AP8=' },
        headers: [
          { name: 'hop', value: 'YQ==' },
          { name: 'hop', value: '/w==' },
        ],
      },
    });
  });

  it('omits a null key or value', () => {
    const { body } = compose('confluent-v3', { key: null, isTombstone: true, headers: [] });

    assert.deepEqual(body, { headers: [] });
  });
});
