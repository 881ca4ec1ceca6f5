import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { answerText } from '../gateway/answers.ts';
import { findFlaw, type Order } from './orders.ts';
import type { Payments } from './payments.ts';

/** An order that could not be processed, and why. */
export type Failure = { readonly order: Order; readonly error: Error };

export type Consumer = {
  /** Processes an order or throws; an order that was processed before is left as it is. */
  readonly process: (order: Partial<Order>) => Promise<void>;
  readonly countProcessed: () => number;
};

/** The shop's order consumer: it charges each order once. */
export function makeConsumer(payments: Pick<Payments, 'charge'>): Consumer {
  const processed = new Set<string>();
  return {
    process: async (order) => {
      const flaw = findFlaw(order);
      if (flaw) throw Object.assign(new Error(flaw), { name: 'InvalidOrderError' });
      const { orderId = '' } = order;
      if (processed.has(orderId)) return;
      await payments.charge();
      processed.add(orderId);
    },
    countProcessed: () => processed.size,
  };
}

/** The consumer's endpoint, to which the office redelivers: 2xx, or 422 for a bad order, or 503 for a bad moment. */
export async function serveConsumer(
  consumer: Consumer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await consumer.process(parseOrder(await text(request)));
    answerText(response, 200, 'processed');
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    answerText(response, name === 'InvalidOrderError' ? 422 : 503, message);
  }
}

function parseOrder(body: string): Partial<Order> {
  try {
    const order: unknown = JSON.parse(body);
    return typeof order === 'object' && order !== null ? order : {};
  } catch {
    return {};
  }
}
