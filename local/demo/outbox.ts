import { setTimeout as delay } from 'node:timers/promises';
import type { Envelope } from './envelopes.ts';

/** Failures on their way to the office: each is kept until the office has confirmed it. */
export type Outbox = {
  readonly add: (envelope: Envelope) => void;
  readonly count: () => number;
  /** Waits until all are sent, but not longer than this. */
  readonly drain: (patienceMs: number) => Promise<void>;
  readonly close: () => void;
};

const againMs = 1000;

export function openOutbox(captureUrl: string, say: (text: string) => void): Outbox {
  const kept: Envelope[] = [];
  const closing = new AbortController();
  let sending = Promise.resolve();
  let isCut = false;

  const sendAll = async () => {
    for (let envelope = kept[0]; envelope && !closing.signal.aborted; envelope = kept[0]) {
      if (await send(captureUrl, envelope)) {
        kept.shift();
        if (isCut) say('the office takes failures again; all that were kept are being sent');
        isCut = false;
      } else {
        if (!isCut) say('the office does not take failures right now; they are kept and sent later');
        isCut = true;
        await delay(againMs, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  };
  return {
    add: (envelope) => {
      kept.push(envelope);
      if (kept.length === 1) sending = sending.then(sendAll);
    },
    count: () => kept.length,
    drain: async (patienceMs) => {
      await Promise.race([sending, delay(patienceMs)]);
    },
    close: () => closing.abort(),
  };
}

/** Anything but a confirmation means that the same failure is to be sent again; the office takes it once. */
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
