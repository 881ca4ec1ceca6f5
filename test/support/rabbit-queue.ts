import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, before } from 'node:test';

/** A queue, whose messages are removed in place. */
export type RabbitQueue = { url: string; readonly messages: object[] };

/**
 * Plays "get messages" of RabbitMQ's management API for one queue:
 * https://www.rabbitmq.com/docs/http-api-reference
 */
export function useRabbitQueue(): () => RabbitQueue {
  const queue: RabbitQueue = { url: '', messages: [] };
  const server = createServer(async (request, response) => {
    const { count, ackmode } = (await json(request)) as { count: number; ackmode: string };
    const isKept = ackmode === 'ack_requeue_true';
    response.end(JSON.stringify(isKept ? queue.messages.slice(0, count) : queue.messages.splice(0, count)));
  });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    queue.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => queue;
}
