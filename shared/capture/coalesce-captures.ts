import { errorCodeOf } from '../database/unavailable.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import type { Capture } from './message.ts';
import type { Stored } from './store-captures.ts';

/** Stores the captures of a request, all or none, and returns the result of each, in their order, after the commit. */
export type Store = (captures: readonly Capture[]) => Promise<Stored[]>;

type QueuedRequest = {
  readonly captures: readonly Capture[];
  readonly bytes: number;
  readonly arrivedAt: number;
  readonly resolve: (stored: Stored[]) => void;
  readonly reject: (error: unknown) => void;
};

/** Reports the result of a statement to its requests. */
type Report = () => void;

/** Limits of one statement, and of all requests in memory: beyond it senders must retry. */
const maxEvents = 500;
/** A statement of this size is as fast per event as a larger one. Beyond it, one beside the other is faster. */
const maxBytes = 2 ** 18;
const maxHeldBytes = 128 * 2 ** 20;
/** The memory of a capture beside its message. */
const bytesPerCapture = 1024;

/** Other requests do not wait for a statement that takes longer: the next one runs beside it. */
const slowMs = 50;
/** How long a request whose rows are locked is tried again. */
const maxLockedMs = 5000;

/**
 * Lets concurrent requests share statements of `store`: while one statement runs, requests queue for the next, which
 * starts as soon as it returns, or beside it if it is slow or more is queued than fits into a statement, up to `maxStatements` at
 * once. There is no delay: a request that
 * arrives alone is stored at once. A request keeps its captures together and in order.
 *
 * A row that fails its statement fails only its own request. A statement that waited for a locked row is split, until that
 * request is alone; it is tried again beside the others for 5 s, together with later requests for the same event. Throws
 * DatabaseUnavailableError after that, and while 128 MiB are queued.
 */
export function coalesceCaptures(store: Store, maxStatements = 2): Store {
  const queue: QueuedRequest[] = [];
  const contended: QueuedRequest[] = [];
  const contendedKeys = new Set<string>();
  let heldBytes = 0;
  let queuedBytes = 0;
  let running = 0;
  let slow = 0;
  let isContending = false;

  return (captures) =>
    new Promise((resolve, reject) => {
      const bytes = sum(captures.map(sizeOf));
      if (heldBytes > 0 && heldBytes + bytes > maxHeldBytes) {
        return reject(new DatabaseUnavailableError(new Error('The queue of captures is full.')));
      }
      heldBytes += bytes;
      const request: QueuedRequest = {
        captures,
        bytes,
        arrivedAt: Date.now(),
        resolve: (stored) => {
          heldBytes -= bytes;
          resolve(stored);
        },
        reject: (error) => {
          heldBytes -= bytes;
          reject(error);
        },
      };
      if (contendedKeys.size > 0 && captures.some(isContended)) return contend(request);
      queue.push(request);
      queuedBytes += bytes;
      startNext();
    });

  /** Starts a statement if requests are queued and none that is fast will take them all. */
  function startNext(): void {
    const max = Math.max(1, maxStatements - Number(isContending));
    if (running < max && isDue(running)) void flush();
  }

  /** Whether the queue is not left to `others`, the statements that run. */
  function isDue(others: number): boolean {
    return queue.length > 0 && (others === slow || queuedBytes > maxBytes);
  }

  async function flush(): Promise<void> {
    running += 1;
    let report: Report = () => {};
    // Of several, one goes on: batches are large while one statement follows the other.
    while (isDue(running - 1)) {
      const batch = takeBatch(queue);
      queuedBytes -= sum(batch.map(({ bytes }) => bytes));
      const storing = watchSlow(storeBatch(batch));
      startNext();
      // After the next statement was sent, so that the database works while the responses are written.
      setImmediate(report);
      report = await storing;
    }
    report();
    running -= 1;
    startNext();
  }

  async function watchSlow(storing: Promise<Report>): Promise<Report> {
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      slow += 1;
      startNext();
    }, slowMs);
    const report = await storing;
    clearTimeout(timer);
    if (isSlow) slow -= 1;
    return report;
  }

  /** Never rejects. */
  async function storeBatch(batch: readonly QueuedRequest[]): Promise<Report> {
    try {
      return reportTo(batch, await store(batch.flatMap(({ captures }) => captures)));
    } catch (error) {
      const [first] = batch;
      if (first && batch.length === 1 && isHeldUp(error)) return () => contend(first);
      if (batch.length === 1 || (error instanceof DatabaseUnavailableError && !isHeldUp(error))) {
        return () => {
          for (const { reject } of batch) reject(error);
        };
      }
      const half = Math.ceil(batch.length / 2);
      const reports = [await storeBatch(batch.slice(0, half)), await storeBatch(batch.slice(half))];
      return () => {
        for (const report of reports) report();
      };
    }
  }

  function contend(request: QueuedRequest): void {
    contended.push(request);
    for (const capture of request.captures) contendedKeys.add(nameRow(capture));
    if (!isContending) void storeContended();
  }

  function isContended(capture: Capture): boolean {
    return contendedKeys.has(nameRow(capture));
  }

  /** Stores contended requests one at a time, each in its turn. */
  async function storeContended(): Promise<void> {
    isContending = true;
    for (let request = contended.shift(); request; request = contended.shift()) {
      try {
        request.resolve(await store(request.captures));
      } catch (error) {
        if (isHeldUp(error) && Date.now() - request.arrivedAt < maxLockedMs) contended.push(request);
        else request.reject(error);
      }
    }
    contendedKeys.clear();
    isContending = false;
    startNext();
  }
}

/** Whether a statement met a locked row, or was cancelled: without the rows that it waited for it would have succeeded. */
function isHeldUp(error: unknown): boolean {
  return ['55P03', '57014'].includes(errorCodeOf(error));
}

/** Names the row that a capture changes, if its event exists. */
function nameRow({ redelivery, eventKey }: Capture): string {
  return redelivery ?? eventKey;
}

function sizeOf({ body, errorReason, errorStacktrace }: Capture): number {
  return bytesPerCapture + body.length + (errorReason?.length ?? 0) + (errorStacktrace?.length ?? 0);
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

function reportTo(batch: readonly QueuedRequest[], stored: readonly Stored[]): Report {
  return () => {
    let next = 0;
    for (const { captures, resolve } of batch) {
      resolve(stored.slice(next, next + captures.length));
      next += captures.length;
    }
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
