import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { isObject, parseJson } from '../../shared/json/parse-json.ts';
import { findFlaw, type Order } from './orders.ts';
import type { Payments } from './payments.ts';

/** Processes an order or throws. Ignores an order that was processed before. */
export type Consumer = (order: Partial<Order>) => Promise<void>;

/** Returns the shop's order consumer. It charges each order once. */
export function makeConsumer(payments: Pick<Payments, 'charge'>): Consumer {
  const processed = new Set<string>();
  return async (order) => {
    const flaw = findFlaw(order);
    if (flaw) throw Object.assign(new Error(flaw), { name: 'InvalidOrderError' });
    const { orderId = '' } = order;
    if (processed.has(orderId)) return;
    await payments.charge();
    processed.add(orderId);
  };
}

/** Serves redeliveries to the consumer: 200, or 422 for an invalid order, or 503 while payments are down. */
export async function serveConsumer(
  consumer: Consumer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const order = parseJson(await text(request));
    await consumer(isObject(order) ? order : {});
    response.end('processed');
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    response.writeHead(name === 'InvalidOrderError' ? 422 : 503).end(message);
  }
}
