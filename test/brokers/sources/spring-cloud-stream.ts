import { type Failure, testKafkaSource } from '../support/kafka-loop.ts';
import { odd } from '../support/messages.ts';
import { startJava } from '../support/start-program.ts';

/** The headers name the innermost cause, and no other exception. */
const failure: Failure = {
  kind: 'spring-cloud-stream',
  class: 'java.net.ConnectException',
  reason: 'java.net.ConnectException: refused',
  group: 'invoices',
  attempts: null,
};

testKafkaSource('Spring Cloud Stream', {
  name: 'spring-cloud-stream',
  topic: 'scs-orders',
  deadLetterTopic: 'error.scs-orders.invoices',
  start: async () => startJava(['spring-cloud-stream', 'brokers.FailingFunction']),
  failures: [odd.headers, odd.second, odd.third, odd.bytes].map((each) => [each, failure]),
});
