import { setTimeout as delay } from 'node:timers/promises';
import { listenOnLoopback } from '../http/listen.ts';
import { type Consumer, makeConsumer, openPayments, serveConsumer } from './consumer.ts';
import { type Envelope, wraps } from './envelopes.ts';
import { makeOrder } from './orders.ts';

const orderEveryMs = 700;
const retryMs = 1000;
const sendTimeoutMs = 2000;

/** The target of the demo's events. It closes after the shop, so that open deliveries can end. */
type DemoTarget = Awaited<ReturnType<typeof openDemoTarget>>;

/** Starts the demo's consumer and its payment service. */
export async function openDemoTarget(say: (text: string) => void) {
  const payments = openPayments(say);
  const consumer = makeConsumer(payments.charge);
  const server = await listenOnLoopback(0, (request, response) => serveConsumer(consumer, request, response));
  return {
    consumer,
    begin: payments.begin,
    /** Routes to this target. */
    routes: [routeTo(`http://127.0.0.1:${server.port}/orders`)],
    close: async () => {
      payments.close();
      await server.close();
    },
  };
}

/** Starts the shop: an order every 700 ms, failures to `captureUrl`. Returns the function that ends it. */
export function openShop({ consumer, begin }: DemoTarget, captureUrl: string): () => Promise<void> {
  const closed = new AbortController();
  const { signal } = closed;
  const work = async () => {
    for (let n = 1; !signal.aborted; n++) {
      const failure = await publishOrder(consumer, n);
      while (failure && !(await sendEnvelope(captureUrl, failure)) && !signal.aborted) await delay(retryMs);
      await delay(orderEveryMs, undefined, { signal }).catch(() => {});
    }
  };
  begin();
  const working = work();
  return () => {
    closed.abort();
    return working;
  };
}

/** Returns the failure of the `n`-th order, if it failed. */
async function publishOrder(consumer: Consumer, n: number): Promise<Envelope | undefined> {
  const order = makeOrder(n, new Date());
  try {
    await consumer(order);
  } catch (error) {
    const wrap = wraps[n % wraps.length];
    if (wrap && error instanceof Error) return wrap({ order, error }, new Date());
  }
  return undefined;
}

/** Returns whether a failure is captured; else it must be sent again, since capture is idempotent. */
async function sendEnvelope(captureUrl: string, { headers, body }: Envelope): Promise<boolean> {
  const signal = AbortSignal.timeout(sendTimeoutMs);
  const answer = await fetch(captureUrl, { method: 'POST', headers, body, signal }).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => {});
  return answer?.ok === true;
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
