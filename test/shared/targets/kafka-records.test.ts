import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LeasedEvent } from '../../../shared/events.ts';
import { composeRecord, type KafkaRecord, toRecord } from '../../../shared/targets/kafka-records.ts';
import { aLeasedEvent } from '../../support/leased-event.ts';

const record: KafkaRecord = {
  key: Buffer.from('cust-77'),
  value: Buffer.from([0, 0xff]),
  headers: [
    ['hop', Buffer.from('a')],
    ['hop', Buffer.from([0xff])],
  ],
};
const compose = (flavor: keyof typeof composeRecord, more: Partial<KafkaRecord> = {}) => {
  const request = composeRecord[flavor]({ ...record, ...more });
  return request && { ...request, body: JSON.parse(request.body) };
};

describe('the record of an event', () => {
  const make = (event: Partial<LeasedEvent>, body = Buffer.from('{}')) =>
    toRecord(aLeasedEvent(event), body, 3);

  it('has its key as UTF-8', () => {
    assert.deepEqual(make({ source_key: 'größe' }).key, Buffer.from('größe'));
  });

  it('has the exact key where its text is only made of it', () => {
    const key = Buffer.from([0, 0xff]);

    assert.deepEqual(make({ source_key: 'AP8=', source_key_bytes: key }).key, key);
    assert.deepEqual(make({ source_key: null, source_key_bytes: Buffer.alloc(0) }).key, Buffer.alloc(0));
  });

  it('has no key where the event has none', () => {
    assert.equal(make({ source_key: null }).key, null);
  });

  it('has the bytes of the event', () => {
    const body = Buffer.from([0, 0xff]);

    assert.deepEqual(make({ payload_encoding: 'base64' }, body).value, body);
  });

  it('is a tombstone where the event has no payload, and no tombstone where it is empty', () => {
    assert.equal(make({ payload_encoding: 'none' }, Buffer.alloc(0)).value, null);
    assert.deepEqual(make({ payload_encoding: 'text' }, Buffer.alloc(0)).value, Buffer.alloc(0));
  });

  it('says which event it is, and which attempt, whatever the event claims', () => {
    const { headers } = make({ id: '42', headers: { 'dlo-event-id': '666', 'dlo-attempt': '0' } });

    assert.deepEqual(
      headers.map(([name, bytes]) => `${name}: ${bytes}`),
      ['dlo-event-id: 42', 'dlo-attempt: 3'],
    );
  });
});

describe('a record for the bridge of Strimzi', () => {
  it('is base64 throughout', () => {
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

  it('leaves a null key out, which is refused there', () => {
    const [sent] = compose('strimzi', { key: null })?.body.records ?? [];

    assert.deepEqual(Object.keys(sent), ['value', 'headers']);
  });

  it('is none where it is a tombstone, of which that bridge would make three bytes', () => {
    assert.equal(compose('strimzi', { value: null }), undefined);
  });
});

describe("a record for version 2 of Confluent's proxy", () => {
  it('is base64 without headers, which are not known there', () => {
    assert.deepEqual(compose('confluent-v2'), {
      contentType: 'application/vnd.kafka.binary.v2+json',
      body: { records: [{ key: 'Y3VzdC03Nw==', value: 'AP8=' }] },
    });
  });

  it('has null for what is null', () => {
    assert.deepEqual(compose('confluent-v2', { key: null, value: null })?.body, {
      records: [{ key: null, value: null }],
    });
  });
});

describe("a record for version 3 of Confluent's proxy", () => {
  it('is binary throughout', () => {
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

  it('leaves out what is null', () => {
    const { body } = compose('confluent-v3', { key: null, value: null, headers: [] }) ?? {};

    assert.deepEqual(body, { headers: [] });
  });
});
