import { type Failure, testKafkaSource } from '../support/kafka-loop.ts';
import { odd } from '../support/messages.ts';
import { type Program, startJava } from '../support/start-program.ts';

let application: Program | undefined;

async function start(): Promise<Program> {
  application ??= startJava(['spring-kafka', 'brokers.FailingListeners']);
  return application;
}

const refused: Failure = {
  kind: 'spring-kafka',
  class: 'java.lang.IllegalStateException',
  reason: 'java.lang.IllegalStateException: payments answered 503: größer',
  group: 'billing',
  attempts: 3,
};
const unreadable = 'org.apache.kafka.common.errors.SerializationException';
const nullPointer = 'java.lang.NullPointerException';

testKafkaSource('Spring Kafka: an error handler', {
  name: 'spring-error-handler',
  topic: 'spring-orders',
  deadLetterTopic: 'spring-orders-dlt',
  start,
  failures: [
    [odd.headers, refused],
    [odd.second, refused],
    [odd.third, refused],
    [odd.bytes, refused],
    [odd.empty, refused],
    [odd.tombstone, { ...refused, class: nullPointer, reason: nullPointer }],
    [
      odd.unreadable,
      { ...refused, class: unreadable, reason: `${unreadable}: cannot read 12 bytes`, attempts: 1 },
    ],
  ],
});

const closed: Failure = {
  ...refused,
  reason: 'java.lang.IllegalStateException: warehouse is closed',
  group: 'shipping',
};

testKafkaSource('Spring Kafka: retry topics', {
  name: 'spring-retry-topics',
  topic: 'spring-parcels',
  deadLetterTopic: 'spring-parcels-dlt',
  start,
  failures: [odd.headers, odd.second, odd.third, odd.bytes, odd.empty, odd.tombstone].map((each) => [
    each,
    closed,
  ]),
});

const stillClosed: Failure = {
  ...refused,
  reason: 'java.lang.IllegalStateException: bank is still closed',
  group: 'refunds-later',
};

testKafkaSource('Spring Kafka: a dead letter that fails again', {
  name: 'spring-second-hop',
  firstTopic: 'spring-refunds',
  topic: 'spring-refunds-dlt',
  deadLetterTopic: 'spring-refunds-dlt-dlt',
  start,
  // The headers of the first failure are not those of the message.
  asCarried: (record) => ({
    ...record,
    headers: record.headers.filter(([name]) => !name.startsWith('kafka_')),
  }),
  failures: [odd.headers, odd.second, odd.third, odd.bytes, odd.empty, odd.tombstone].map((each) => [
    each,
    stillClosed,
  ]),
});
