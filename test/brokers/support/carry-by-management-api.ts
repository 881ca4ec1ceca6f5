import assert from 'node:assert/strict';
import { waitFor } from './start-program.ts';
import { authorization, type RabbitMq } from './start-rabbitmq.ts';

const json = 'application/json';

export type Place = { readonly queue: string; readonly capture: string; readonly count: number };

/**
 * Posts the messages of a queue of RabbitMQ to capture, and removes them only after they were stored
 * (docs/bring-over.md). Equal messages without an id are told apart within one response: all come in one.
 */
export async function carryByManagementApi({ management, program }: RabbitMq, place: Place): Promise<void> {
  const get = async (ackmode: string) => {
    const response = await fetch(`${management}/queues/%2F/${place.queue}/get`, {
      method: 'POST',
      headers: { authorization, 'content-type': json },
      body: JSON.stringify({ count: place.count, ackmode, encoding: 'auto' }),
    });
    return response.ok ? response.text() : '[]';
  };
  let batch = '[]';
  const isComplete = async () => {
    batch = await get('ack_requeue_true');
    return JSON.parse(batch).length === place.count;
  };
  await waitFor(`${place.queue} had ${place.count} dead letters`, isComplete, { program, seconds: 30 });
  const response = await fetch(place.capture, {
    method: 'POST',
    headers: { 'content-type': json },
    body: batch,
  });
  assert.equal(response.status, 200);
  const removed: readonly object[] = JSON.parse(await get('ack_requeue_false'));
  assert.deepEqual(removed.map(asDelivered), JSON.parse(batch).map(asDelivered));
}

/** A message without what differs between two deliveries. */
function asDelivered(message: object): object {
  return { ...message, redelivered: true, message_count: 0 };
}
