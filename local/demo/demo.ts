import { listenOnLoopback } from '../gateway/listen.ts';
import { type Consumer, makeConsumer, serveConsumer } from './consumer.ts';
import { wraps } from './envelopes.ts';
import { makeOrder } from './orders.ts';
import { type Outbox, openOutbox } from './outbox.ts';
import { openPayments } from './payments.ts';

/** The part of the demo that events are sent to; it outlives the shop, so that what is under way can end. */
export type DemoTarget = {
  readonly consumer: Consumer;
  /** From here on it is flaky. */
  readonly begin: () => void;
  /** The routes that lead to it. */
  readonly routes: readonly object[];
  readonly close: () => Promise<void>;
};

export type Shop = { readonly countOrders: () => number; readonly close: () => Promise<void> };

type Say = (text: string) => void;

const orderEveryMs = 700;
/** The shop takes a break when so many failures could not be sent. */
const mostUnsent = 200;

/** Opens the demo's consumer and the payment service behind it. */
export async function openDemoTarget(say: Say): Promise<DemoTarget> {
  let isOpen = true;
  const payments = openPayments((text) => isOpen && say(text));
  const consumer = makeConsumer(payments);
  const server = await listenOnLoopback(0, (request, response) => serveConsumer(consumer, request, response));
  return {
    consumer,
    begin: payments.begin,
    routes: [routeTo(`http://127.0.0.1:${server.port}/orders`)],
    close: async () => {
      isOpen = false;
      payments.close();
      await server.close(0);
    },
  };
}

/** Opens the shop: orders go to the consumer at a gentle rate, and what fails there goes to `captureUrl`. */
export function openShop({ consumer, begin }: DemoTarget, captureUrl: string, say: Say): Shop {
  const outbox = openOutbox(captureUrl, say);
  let orders = 0;
  let publishing = Promise.resolve();
  const timer = setInterval(() => {
    if (outbox.count() < mostUnsent) publishing = publish(consumer, outbox, ++orders);
  }, orderEveryMs);
  begin();
  return {
    countOrders: () => orders,
    close: async () => {
      clearInterval(timer);
      await publishing;
      await outbox.drain(1500);
      outbox.close();
    },
  };
}

async function publish(consumer: Consumer, outbox: Outbox, n: number): Promise<void> {
  const order = makeOrder(n, new Date());
  try {
    await consumer.process(order);
  } catch (error) {
    const wrap = wraps[n % wraps.length];
    if (wrap && error instanceof Error) outbox.add(wrap({ order, error }, new Date()));
  }
}

/** Patient enough to outlast an outage, quick enough to be watched. */
function routeTo(url: string): object {
  // As short as the outages here, so that a newcomer sees the office try, hold back and recover.
  const breaker = { consecutiveFailures: 10, cooldownSeconds: 3, maxCooldownSeconds: 6 };
  const backoff = { kind: 'exponential', baseSeconds: 3, factor: 2, capSeconds: 20, jitter: 'full' };
  return {
    match: { eventType: 'order.*' },
    target: { kind: 'http', url },
    policy: { backoff, timeoutSeconds: 3, breaker },
  };
}
