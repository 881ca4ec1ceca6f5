import { carryByManagementApi } from '../support/carry-by-management-api.ts';
import { type Failed, testQueueSource } from '../support/queue-loop.ts';
import type { QueueRow } from '../support/queue-rows.ts';
import { readRabbitMessage } from '../support/rabbit-message.ts';
import { startPython } from '../support/start-python.ts';
import { type RabbitMq, startRabbitMq } from '../support/start-rabbitmq.ts';

let rabbit: RabbitMq | undefined;

const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const hex = (text: string) => Buffer.from(text).toString('hex');
const json = '{"orderId": 1, "total": 1.50, "note": "größer – 注文"}';

/** As the program publishes them: bodies and bytes in headers as hexadecimal digits. */
const messages = [
  {
    routing_key: 'orders.created',
    body: hex(json),
    content_type: 'application/json',
    message_id: 'm-1',
    type: 'orders.created',
    headers: {
      tenant: 'acme',
      traceparent: trace,
      price: '1.10',
      empty: '',
      bytes: { hex: '00ff10fe' },
      count: 2 ** 53 - 1,
      nested: { list: [1, 'b'] },
      nothing: null,
    },
  },
  { routing_key: 'orders.bytes', body: '00ff8040aa0a', message_id: 'm-2', headers: {} },
  { routing_key: 'orders.empty', body: '', message_id: 'm-3', headers: {} },
  { routing_key: 'orders.equal', body: hex('without an id'), headers: {} },
  { routing_key: 'orders.equal', body: hex('without an id'), headers: {} },
  { routing_key: 'slow.order', body: hex('expires'), message_id: 'm-4', headers: {} },
  { routing_key: 'full.second', body: hex('finds no room'), message_id: 'm-5', headers: {} },
  { routing_key: 'jobs.print', body: hex('returned twice'), message_id: 'm-6', headers: {} },
];

const dead = (queue: string, reason: string, more: Partial<QueueRow>): QueueRow => ({
  eventKey: `rabbitmq:${more.id}@${queue}`,
  type: more.key ?? '',
  id: null,
  kind: 'rabbitmq',
  topic: 'shop',
  queue,
  key: null,
  reason,
  class: null,
  hasStack: false,
  // No other death says how often a consumer saw the message.
  attempts: reason === 'rejected' ? 1 : null,
  contentType: null,
  body: '',
  headers: {},
  ...more,
});
/** Equal messages without an id are two events. */
const withoutId = { key: 'orders.equal', body: 'without an id', eventKey: 'sha256:DIGEST@orders' };

testQueueSource('RabbitMQ: rejected, expired, dropped and delivered too often', {
  name: 'rabbitmq',
  needs: ['debian', 'python'],
  start: async ({ replayPort }) => {
    rabbit = await startRabbitMq();
    return startPython(['failing_consumer.py', JSON.stringify(messages)], {
      AMQP_PORT: `${rabbit.port}`,
      REPLAY_PORT: `${replayPort}`,
    });
  },
  carry: async (capture, count) => {
    if (rabbit) await carryByManagementApi(rabbit, { queue: 'dead', capture, count });
  },
  paths: { 'orders.*': 'orders', 'slow.*': 'slow', 'full.*': 'full', 'jobs.*': 'jobs' },
  rows: [
    dead('orders', 'rejected', {
      id: 'm-1',
      key: 'orders.created',
      contentType: 'application/json',
      body: json,
      headers: {
        tenant: 'acme',
        traceparent: trace,
        price: '1.10',
        empty: '',
        bytes: { base64: 'AP8Q/g==' },
        count: '9007199254740991',
        nested: '{"list":[1,"b"]}',
      },
    }),
    dead('orders', 'rejected', { id: 'm-2', key: 'orders.bytes', body: '0x00ff8040aa0a' }),
    dead('orders', 'rejected', { id: 'm-3', key: 'orders.empty', body: '' }),
    dead('slow', 'expired', { id: 'm-4', key: 'slow.order', body: 'expires' }),
    dead('full', 'maxlen', { id: 'm-5', key: 'full.second', body: 'finds no room' }),
    dead('jobs', 'delivery_limit', { id: 'm-6', key: 'jobs.print', body: 'returned twice' }),
    dead('orders', 'rejected', withoutId),
    dead('orders', 'rejected', withoutId),
  ],
  readMessage: (failed: Failed) => readRabbitMessage(failed),
});
