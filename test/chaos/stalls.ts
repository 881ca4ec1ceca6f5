import { timeoutSeconds } from './behaviors.ts';
import type { Ledger } from './ledger.ts';

/**
 * A fault that the suite does not inflict: a machine without time for its processes. It is reported, and does
 * not count.
 */
export const stall = 'the machine stalled';

const everyMs = 50;
const minMs = 400;

/**
 * Records when this process got no CPU time: then workers miss answers and leases, too. Returns a function
 * that stops it.
 */
export function watchStalls(ledger: Ledger): () => void {
  let last = Date.now();
  const timer = setInterval(() => {
    const [from, now] = [last, Date.now()];
    last = now;
    if (now - from < everyMs + minMs) return;
    // A request that was sent before may have been read after it.
    const [at, until] = [from - timeoutSeconds * 1000, now + timeoutSeconds * 1000];
    ledger.faults.push({ kind: stall, at, until, effect: `for ${now - from} ms`, workers: 'all', rows: [] });
  }, everyMs);
  return () => clearInterval(timer);
}
