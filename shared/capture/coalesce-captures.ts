import { DatabaseUnavailableError } from '../errors.ts';
import type { Capture } from './message.ts';
import type { Stored } from './store-captures.ts';

/** Stores the captures of a request, all or none, and returns the result of each, in their order, after the commit. */
export type Store = (captures: readonly Capture[]) => Promise<Stored[]>;

type QueuedRequest = {
  readonly captures: readonly Capture[];
  readonly bytes: number;
  readonly resolve: (stored: Stored[]) => void;
  readonly reject: (error: unknown) => void;
};

/** Reports the result of a statement to its requests. */
type Report = () => void;

/** Limits of one statement, and of the queue for the next: beyond it senders must retry. */
const maxEvents = 500;
const maxBytes = 16 * 2 ** 20;
const maxQueuedBytes = 128 * 2 ** 20;

/**
 * Lets concurrent requests share statements of `store`: while one statement runs, requests queue for the next, which
 * starts as soon as it returns. There is no timer: a request that arrives alone is stored at once. A row that fails its
 * statement fails only its own request. Throws DatabaseUnavailableError while the queue is full.
 */
export function coalesceCaptures(store: Store): Store {
  const queue: QueuedRequest[] = [];
  let queuedBytes = 0;
  let isFlushing = false;

  const flush = async () => {
    isFlushing = true;
    let report: Report = () => {};
    while (queue.length > 0) {
      const batch = takeBatch(queue);
      const storing = storeBatch(store, batch);
      // After the next statement was sent, so that the database works while the responses are written.
      setImmediate(report);
      report = await storing;
      queuedBytes -= sum(batch.map(({ bytes }) => bytes));
    }
    report();
    isFlushing = false;
  };

  return (captures) =>
    new Promise((resolve, reject) => {
      const bytes = sum(captures.map(({ body }) => body.length));
      if (queue.length > 0 && queuedBytes + bytes > maxQueuedBytes) {
        return reject(new DatabaseUnavailableError(new Error('The queue of captures is full.')));
      }
      queuedBytes += bytes;
      queue.push({ captures, bytes, resolve, reject });
      if (!isFlushing) void flush();
    });
}

/** Takes requests from the head of the queue: at least one, and as many as fit into a statement. */
function takeBatch(queue: QueuedRequest[]): QueuedRequest[] {
  let events = 0;
  let bytes = 0;
  const end = queue.findIndex((request, i) => {
    events += request.captures.length;
    bytes += request.bytes;
    return i > 0 && (events > maxEvents || bytes > maxBytes);
  });
  return queue.splice(0, end === -1 ? queue.length : end);
}

async function storeBatch(store: Store, batch: readonly QueuedRequest[]): Promise<Report> {
  try {
    const stored = await store(batch.flatMap(({ captures }) => captures));
    return () => {
      let next = 0;
      for (const { captures, resolve } of batch) {
        resolve(stored.slice(next, next + captures.length));
        next += captures.length;
      }
    };
  } catch (error) {
    if (batch.length === 1 || error instanceof DatabaseUnavailableError) {
      return () => {
        for (const { reject } of batch) reject(error);
      };
    }
    const reports: Report[] = [];
    for (const request of batch) reports.push(await storeBatch(store, [request]));
    return () => {
      for (const report of reports) report();
    };
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
