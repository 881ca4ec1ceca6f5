import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { isObject, parseJson } from '../../shared/json/parse-json.ts';
import { findFlaw, type Order } from './orders.ts';

/** Processes an order or throws. Ignores an order that was processed before. */
export type Consumer = (order: Partial<Order>) => Promise<void>;

/** Returns the shop's order consumer. It charges each order once. */
export function makeConsumer(charge: () => Promise<void>): Consumer {
  const processed = new Set<string>();
  return async (order) => {
    const flaw = findFlaw(order);
    if (flaw) throw Object.assign(new Error(flaw), { name: 'InvalidOrderError' });
    const { orderId = '' } = order;
    if (processed.has(orderId)) return;
    await charge();
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

const firstUpMs = 8000;
const periodMs = 20_000;

/** The names and messages of the errors of a service that is down, by where on the network path it fails. */
const failures = [
  ['ConnectionRefusedError', 'connect ECONNREFUSED 10.4.0.17:8443'],
  ['PaymentsUnavailableError', 'payments answered 503 Service Unavailable: no healthy upstream'],
  ['DeadlineExceededError', 'payments did not answer within 2000 ms'],
  ['ConnectionResetError', 'read ECONNRESET while waiting for payments'],
  ['PaymentsUnavailableError', 'payments answered 502 Bad Gateway'],
] as const;

/** Returns the payment service of the consumer. It works until `begin`, and 8 s longer. */
export function openPayments(say: (text: string) => void) {
  let isUp = true;
  let calls = 0;
  let timer: NodeJS.Timeout | undefined;
  const turn = () => {
    isUp = !isUp;
    say(isUp ? 'the payment service is back' : 'the payment service is down');
    timer = setTimeout(turn, periodMs);
  };
  return {
    /** Throws while the service is down. */
    charge: async () => {
      await delay(5 + Math.random() * 40);
      if (isUp) return;
      const [name, message] = failures[calls++ % failures.length] ?? failures[0];
      throw Object.assign(new Error(message), { name });
    },
    /** Starts the outages: down for 20 s, up for 20 s. */
    begin: () => {
      timer = setTimeout(turn, firstUpMs);
    },
    close: () => clearTimeout(timer),
  };
}
