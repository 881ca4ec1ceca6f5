import { type Failure, testKafkaSource } from '../support/kafka-loop.ts';
import { odd } from '../support/messages.ts';
import { type Program, startJava } from '../support/start-program.ts';

let application: Program | undefined;

async function start(): Promise<Program> {
  application ??= startJava(['smallrye', 'brokers.FailingConsumer']);
  return application;
}

const refused: Failure = {
  kind: 'smallrye',
  class: 'java.lang.IllegalStateException',
  reason: 'java.lang.IllegalStateException: payments answered 503: größer',
  group: null,
  attempts: null,
};
/** This dead letter has no time. */
const refusedNow: Failure = { ...refused, occurredAt: null };
const nullPointer = 'java.lang.NullPointerException';

testKafkaSource('SmallRye: a dead-letter topic', {
  name: 'smallrye-dead-letter-topic',
  topic: 'smallrye-orders',
  deadLetterTopic: 'smallrye-dead',
  start,
  failures: [
    ...[odd.headers, odd.second, odd.third, odd.bytes, odd.empty].map((each) => [each, refusedNow] as const),
    [odd.tombstone, { ...refusedNow, class: nullPointer, reason: nullPointer }],
  ],
});

const closed: Failure = {
  ...refused,
  reason: 'java.lang.IllegalStateException: warehouse is closed',
  attempts: 3,
};

testKafkaSource('SmallRye: delayed retries', {
  name: 'smallrye-delayed-retries',
  topic: 'smallrye-parcels',
  deadLetterTopic: 'smallrye-dead-parcels',
  start,
  failures: [odd.headers, odd.second, odd.third, odd.bytes].map((each) => [each, closed]),
});
