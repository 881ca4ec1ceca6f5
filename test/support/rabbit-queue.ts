import { json } from 'node:stream/consumers';
import { before } from 'node:test';
import { useServer } from './server.ts';

/** A queue, whose messages are removed in place. */
export type RabbitQueue = { url: string; readonly messages: object[] };

/**
 * Plays "get messages" of RabbitMQ's management API for one queue:
 * https://www.rabbitmq.com/docs/http-api-reference
 */
export function useRabbitQueue(): () => RabbitQueue {
  const queue: RabbitQueue = { url: '', messages: [] };
  const origin = useServer(async (request, response) => {
    const { count, ackmode } = (await json(request)) as { count: number; ackmode: string };
    const isKept = ackmode === 'ack_requeue_true';
    response.end(JSON.stringify(isKept ? queue.messages.slice(0, count) : queue.messages.splice(0, count)));
  });
  before(() => {
    queue.url = origin();
  });
  return () => queue;
}
