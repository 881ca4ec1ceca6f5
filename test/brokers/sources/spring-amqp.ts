import { carryByManagementApi } from '../support/carry-by-management-api.ts';
import { testQueueSource } from '../support/queue-loop.ts';
import type { QueueRow } from '../support/queue-rows.ts';
import { readRabbitMessage } from '../support/rabbit-message.ts';
import { startJava } from '../support/start-program.ts';
import { type RabbitMq, startRabbitMq } from '../support/start-rabbitmq.ts';

let rabbit: RabbitMq | undefined;

const refused = {
  eventKey: 'sha256:DIGEST@spring-republished',
  type: 'spring-republished',
  id: null,
  kind: 'spring-amqp',
  topic: null,
  queue: 'spring-republished',
  key: 'spring-republished',
  reason: 'java.lang.IllegalStateException: payments answered 503: größer',
  class: 'java.lang.IllegalStateException',
  hasStack: true,
  attempts: null,
} satisfies Partial<QueueRow>;

testQueueSource('Spring AMQP: republished and rejected', {
  name: 'spring-amqp',
  needs: ['maven', 'debian'],
  start: async ({ replayPort }) => {
    rabbit = await startRabbitMq();
    const env = { AMQP_PORT: `${rabbit.port}`, REPLAY_PORT: `${replayPort}` };
    return startJava(['spring-amqp', 'brokers.FailingQueues'], { env });
  },
  carry: async (capture, count) => {
    if (rabbit) await carryByManagementApi(rabbit, { queue: 'spring-dead', capture, count });
  },
  paths: { 'spring-republished': 'spring-republished', 'spring-rejected': 'spring-rejected' },
  rows: [
    {
      eventKey: 'rabbitmq:s-2@spring-rejected',
      type: 'spring-rejected',
      id: 's-2',
      kind: 'rabbitmq',
      topic: null,
      queue: 'spring-rejected',
      key: 'spring-rejected',
      reason: 'rejected',
      class: null,
      hasStack: false,
      attempts: 1,
      contentType: 'text/plain',
      body: '',
      headers: {},
    },
    { ...refused, contentType: 'application/octet-stream', body: '0x00ff01', headers: {} },
    {
      ...refused,
      contentType: 'text/plain',
      body: '{"orderId": 1, "note": "größer"}',
      headers: {
        tenant: 'acme',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      },
    },
  ],
  readMessage: readRabbitMessage,
});
