import { type Failure, testKafkaSource } from '../support/kafka-loop.ts';
import { odd } from '../support/messages.ts';
import { startJava } from '../support/start-program.ts';

const released: Failure = {
  kind: 'kafka-share-group',
  class: null,
  reason: 'Offset delivery count exceeded the threshold.',
  group: 'workers',
  attempts: 3,
  occurredAt: null,
};
const rejected = { ...released, reason: 'Offset rejected by client.', attempts: 1 };

testKafkaSource('a share group', {
  name: 'share-group',
  topic: 'share-orders',
  deadLetterTopic: 'dlq.share',
  start: async () => startJava(['share-group', 'brokers.FailingShareGroup']),
  keepsHeaders: false,
  failures: [
    [odd.headers, released],
    [odd.second, released],
    [odd.bytes, released],
    [odd.empty, rejected],
  ],
});
