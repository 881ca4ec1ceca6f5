import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Envelope } from './envelopes.ts';

/** Unsent failures: each is kept until `/capture` has confirmed it. */
export type Outbox = {
  readonly add: (envelope: Envelope) => void;
  readonly count: () => number;
  /** Waits until all are sent, at most `timeoutMs`. */
  readonly drain: (timeoutMs: number) => Promise<void>;
  readonly close: () => void;
};

const retryMs = 1000;

/** Opens an outbox that sends to `captureUrl` in order, and retries every second. */
export function openOutbox(captureUrl: string, say: (text: string) => void): Outbox {
  const inOrder = pLimit(1);
  const closed = new AbortController();
  let isDown = false;

  const report = (isSent: boolean) => {
    if (isSent && isDown) say('/capture answers again; sending the kept failures');
    if (!isSent && !isDown) say('/capture does not answer; failures are kept and sent later');
    isDown = !isSent;
  };
  const sendUntilConfirmed = async (envelope: Envelope) => {
    while (!closed.signal.aborted) {
      const isSent = await send(captureUrl, envelope);
      report(isSent);
      if (isSent) return;
      await delay(retryMs, undefined, { signal: closed.signal }).catch(() => undefined);
    }
  };
  return {
    add: (envelope) => void inOrder(() => sendUntilConfirmed(envelope)),
    count: () => inOrder.activeCount + inOrder.pendingCount,
    drain: (timeoutMs) => Promise.race([inOrder(() => {}), delay(timeoutMs)]),
    close: () => closed.abort(),
  };
}

/** Returns false if the failure must be sent again: capture is idempotent. */
async function send(captureUrl: string, { headers, body }: Envelope): Promise<boolean> {
  try {
    const response = await fetch(captureUrl, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(10_000),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
