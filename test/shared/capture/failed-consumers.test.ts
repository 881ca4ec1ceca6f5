import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCapture } from '../../support/read-capture.ts';

type Values = Readonly<Record<string, readonly (string | number | bigint)[]>>;

const encode = (value: string | number | bigint): Buffer => {
  if (typeof value === 'string') return Buffer.from(value);
  const bytes = Buffer.alloc(typeof value === 'bigint' ? 8 : 4);
  if (typeof value === 'bigint') bytes.writeBigInt64BE(value);
  else bytes.writeInt32BE(value);
  return bytes;
};

/** A record of a dead-letter topic with these headers, by a bridge for records. */
const record = (topic: string, headers: Values) =>
  readCapture(
    [
      {
        topic,
        partition: 0,
        offset: 3,
        key: null,
        value: 'e30=',
        headers: Object.entries(headers).flatMap(([key, values]) =>
          values.map((value) => ({ key, value: encode(value).toString('base64') })),
        ),
      },
    ],
    { 'content-type': 'application/vnd.kafka.binary.v2+json' },
  );

/** The same record by Google's connector, which keeps the last value of each name. */
const attributes = (topic: string, headers: Values) =>
  readCapture({
    message: {
      messageId: '1',
      data: 'e30=',
      attributes: {
        'kafka.topic': topic,
        'kafka.partition': '0',
        'kafka.offset': '3',
        ...Object.fromEntries(
          Object.entries(headers).map(([name, values]) => [name, encode(values.at(-1) ?? '').toString()]),
        ),
      },
    },
    subscription: 'projects/p/subscriptions/s',
  });

const spring = (topics: string[], groups: string[]): Values => ({
  'kafka_dlt-original-topic': topics,
  'kafka_dlt-original-partition': topics.map((_, i) => i),
  'kafka_dlt-original-offset': topics.map((_, i) => BigInt(10 + i)),
  'kafka_dlt-original-consumer-group': groups,
  'kafka_dlt-exception-cause-fqcn': ['java.io.IOException'],
  'kafka_dlt-exception-message': ['Listener failed; down'],
});

const connect = (topics: string[], connectors: string[]): Values => ({
  '__connect.errors.topic': topics,
  '__connect.errors.partition': topics.map((_, i) => `${i}`),
  '__connect.errors.offset': topics.map((_, i) => `${10 + i}`),
  '__connect.errors.connector.name': connectors,
  '__connect.errors.exception.class.name': ['java.io.IOException'],
});

const binder = (topics: string[]): Values => ({
  'x-original-topic': topics,
  'x-original-partition': topics.map((_, i) => i),
  'x-original-offset': topics.map((_, i) => BigInt(10 + i)),
});

describe('a dead letter that fails at a second consumer', () => {
  for (const [software, headers, topic, key, group] of [
    ['Spring', spring(['a', 'a-dlt'], ['one', 'two']), 'a-dlt-dlt', 'kafka:a-dlt/1/11', 'two'],
    ['Connect', connect(['a', 'a-dlq'], ['one', 'two']), 'a-dlq-dlq', 'kafka:a-dlq/1/11', 'connect-two'],
    [
      'Spring Cloud Stream',
      binder(['a', 'error.a.one']),
      'error.error.a.one.two',
      'kafka:error.a.one/1/11',
      'two',
    ],
  ] as const) {
    it(`is a failure of that consumer, whatever brings it: ${software}`, () => {
      const copies = [record(topic, headers), attributes(topic, headers)];
      assert.deepEqual(
        copies.map(({ eventKey, consumer }) => [eventKey, consumer]),
        [
          [key, group],
          [key, group],
        ],
      );
    });
  }

  it('has only the deliveries to that consumer', () => {
    const headers = spring(['a', 'a-dlt'], ['one', 'two']);
    const count = (values: number[]) => record('t', { ...headers, kafka_deliveryAttempt: values });
    assert.deepEqual([count([3, 2]).sourceAttempts, count([3]).sourceAttempts], [2, null]);
  });

  it('is told apart from the retry topics before it', () => {
    const { eventKey, consumer, sourceAttempts } = record('a-dlt-dlt', {
      'kafka_original-topic': ['a'],
      'kafka_original-partition': [0],
      'kafka_original-offset': [10n],
      'retry_topic-attempts': [2, 3, 4],
      ...spring(['a-dlt'], ['one', 'two']),
    });
    assert.deepEqual([eventKey, consumer, sourceAttempts], ['kafka:a-dlt/0/10', 'two', null]);
  });
});

describe('a dead letter that fails at the same consumer again', () => {
  for (const [software, headers, key, group] of [
    ['Spring', spring(['a', 'a-retry'], ['one', 'one']), 'kafka:a/0/10', 'one'],
    ['Connect', connect(['a', 'a'], ['one', 'one']), 'kafka:a/0/10', 'connect-one'],
  ] as const) {
    it(`is still the failure of the original record: ${software}`, () => {
      const { eventKey, consumer } = record('a-dlt', headers);
      assert.deepEqual([eventKey, consumer], [key, group]);
    });
  }

  it('is that of the first record if one hop does not name its consumer', () => {
    const headers = spring(['a', 'a-dlt', 'a-dlt-dlt'], ['one', 'two']);
    const { eventKey, consumer } = record('parked', headers);
    assert.deepEqual([eventKey, consumer], ['kafka:a/0/10', 'two']);
  });
});

describe('the attempts of a dead letter', () => {
  const retried = (header: Buffer) =>
    readCapture(
      [
        {
          topic: 'dlt',
          partition: 0,
          offset: 1,
          value: null,
          headers: [{ key: 'retry_topic-attempts', value: header.toString('base64') }],
        },
      ],
      { 'content-type': 'application/vnd.kafka.binary.v2+json' },
    ).sourceAttempts;

  it('of a Spring retry topic do not count the delivery that would come next', () => {
    assert.deepEqual([retried(Buffer.from([0, 0, 0, 2])), retried(Buffer.from([4]))], [1, 3]);
  });
});
