import { listenOnLoopback } from '../http/listen.ts';
import { type Consumer, makeConsumer, serveConsumer } from './consumer.ts';
import { wraps } from './envelopes.ts';
import { makeOrder } from './orders.ts';
import { type Outbox, openOutbox } from './outbox.ts';
import { openPayments } from './payments.ts';

/** The target of the demo's events. It closes after the shop, so that open deliveries can end. */
export type DemoTarget = {
  readonly consumer: Consumer;
  /** Starts the outages. */
  readonly begin: () => void;
  /** Routes to this target. */
  readonly routes: readonly object[];
  readonly close: () => Promise<void>;
};

type Say = (text: string) => void;

const orderEveryMs = 700;
/** The shop pauses while 200 failures are unsent. */
const maxUnsent = 200;

/** Starts the demo's consumer and its payment service. */
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

/**
 * Starts the shop: it sends an order to the consumer every 700 ms, and each failure to `captureUrl`. Returns the function
 * that closes it, within 2 s.
 */
export function openShop({ consumer, begin }: DemoTarget, captureUrl: string, say: Say): () => Promise<void> {
  const outbox = openOutbox(captureUrl, say);
  let orders = 0;
  let publishing = Promise.resolve();
  const timer = setInterval(() => {
    if (outbox.count() < maxUnsent) publishing = publish(consumer, outbox, ++orders);
  }, orderEveryMs);
  begin();
  return async () => {
    clearInterval(timer);
    await publishing;
    await outbox.drain(1500);
    outbox.close();
  };
}

async function publish(consumer: Consumer, outbox: Outbox, n: number): Promise<void> {
  const order = makeOrder(n, new Date());
  try {
    await consumer(order);
  } catch (error) {
    const wrap = wraps[n % wraps.length];
    if (wrap && error instanceof Error) outbox.add(wrap({ order, error }, new Date()));
  }
}

/** The backoff outlasts an outage of 20 s, and is short enough to watch. */
function routeTo(url: string): object {
  // Short enough that a new user sees the breaker open and close during one outage.
  const breaker = { consecutiveFailures: 10, cooldownSeconds: 3, maxCooldownSeconds: 6 };
  const backoff = { kind: 'exponential', baseSeconds: 3, factor: 2, capSeconds: 20, jitter: 'full' };
  return {
    match: { eventType: 'demo.*' },
    target: { kind: 'http', url },
    policy: { backoff, timeoutSeconds: 3, breaker },
  };
}
