import { type Failure, testKafkaSource } from '../support/kafka-loop.ts';
import { odd } from '../support/messages.ts';
import { startJava } from '../support/start-program.ts';

const failure: Failure = {
  kind: 'application',
  class: 'java.lang.IllegalStateException',
  reason: 'java.lang.IllegalStateException: payments answered 503: größer',
  group: 'charging',
  attempts: null,
};
const nullPointer = 'java.lang.NullPointerException';

testKafkaSource('Flink: a side output', {
  name: 'flink',
  topic: 'flink-orders',
  deadLetterTopic: 'flink-dead',
  start: async () => startJava(['flink', 'brokers.FailingJob'], { megabytes: 256 }),
  failures: [
    ...[odd.headers, odd.second, odd.third, odd.bytes, odd.empty].map((each) => [each, failure] as const),
    [odd.tombstone, { ...failure, class: nullPointer, reason: nullPointer }],
  ],
});
