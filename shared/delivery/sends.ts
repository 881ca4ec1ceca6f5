import { setImmediate } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';

type Send = { readonly id: string; readonly leaseToken: string };

const recordSends = statement<{ sends: readonly Send[] }, never>('record-sends', import.meta.url);

/** Deletes the records of leases that are over. */
export const purgeSends = statement<Record<string, never>, never>('purge-sends', import.meta.url);

/**
 * Returns a function that records the beginning of a delivery, and resolves once that is committed: if the worker dies, its
 * lease costs the events a retry that were recorded. Deliveries that begin while one statement runs share the next. Throws
 * DatabaseUnavailableError.
 */
export function openSends(db: Database): (send: Send) => Promise<void> {
  let waiting: Send[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const recordAll = async () => {
    await last;
    // The deliveries that a claim begins at once share a statement, too.
    await setImmediate();
    const sends = waiting;
    waiting = [];
    next = undefined;
    const recording = recordSends(db, { sends });
    last = recording.catch(() => {});
    await recording;
  };
  return (send) => {
    waiting.push(send);
    next ??= recordAll();
    return next;
  };
}
