import { type Failure, testKafkaSource } from '../support/kafka-loop.ts';
import { odd } from '../support/messages.ts';
import { startJava } from '../support/start-program.ts';

const failure: Failure = {
  kind: 'kafka-streams',
  class: 'java.lang.IllegalStateException',
  reason: 'java.lang.IllegalStateException: payments answered 503: größer',
  group: null,
  attempts: null,
};

const unreadable = 'org.apache.kafka.common.errors.SerializationException';

testKafkaSource('Kafka Streams', {
  name: 'kafka-streams',
  topic: 'streams-orders',
  deadLetterTopic: 'streams-dead',
  start: async () =>
    startJava(['kafka-streams', 'brokers.FailingStream'], {
      env: { FOLDER: `${process.env.DLO_TEST_FOLDER}/streams` },
    }),
  failures: [
    [odd.headers, failure],
    [odd.second, failure],
    [odd.third, failure],
    [odd.bytes, failure],
    [odd.empty, failure],
    [
      odd.tombstone,
      { ...failure, class: 'java.lang.NullPointerException', reason: 'java.lang.NullPointerException' },
    ],
    [odd.unreadable, { ...failure, class: unreadable, reason: `${unreadable}: cannot read 12 bytes` }],
  ],
});
