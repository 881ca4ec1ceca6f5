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

/** The requests in memory, and the statements that run. */
type Coalescing = {
  readonly store: Store;
  readonly maxStatements: number;
  readonly queue: QueuedRequest[];
  /** Requests whose rows were locked, and the rows that they change. */
  readonly contended: QueuedRequest[];
  readonly contendedKeys: Set<string>;
  isContending: boolean;
  heldBytes: number;
  queuedBytes: number;
  running: number;
  slow: number;
};

/**
 * Lets concurrent requests share statements of `store`: while one statement runs, requests queue for the next,
 * which starts as soon as it returns, or beside it if it is slow or more is queued than fits into a statement,
 * up to `maxStatements` at once. There is no delay: a request that arrives alone is stored at once. A request
 * keeps its captures together and in order.
 *
 * A row that fails its statement fails only its own request. A statement that waited for a locked row is
 * split, until that request is alone; it is tried again beside the others for 5 s, together with later
 * requests for the same event. Throws DatabaseUnavailableError after that, and while 128 MiB are queued.
 */
export function coalesceCaptures(store: Store, maxStatements = 2): Store {
  const state: Coalescing = {
    ...{ store, maxStatements, queue: [], contended: [], contendedKeys: new Set(), isContending: false },
    ...{ heldBytes: 0, queuedBytes: 0, running: 0, slow: 0 },
  };
  return async (captures) => {
    const bytes = sum(captures.map(sizeOf));
    if (state.heldBytes > 0 && state.heldBytes + bytes > maxHeldBytes) {
      throw new DatabaseUnavailableError(new Error('The queue of captures is full.'));
    }
    state.heldBytes += bytes;
    try {
      return await new Promise<Stored[]>((resolve, reject) =>
        enqueue(state, { captures, bytes, arrivedAt: Date.now(), resolve, reject }),
      );
    } finally {
      state.heldBytes -= bytes;
    }
  };
}

function enqueue(state: Coalescing, request: QueuedRequest): void {
  if (request.captures.some((capture) => state.contendedKeys.has(nameRow(capture)))) {
    contend(state, request);
    return;
  }
  state.queue.push(request);
  state.queuedBytes += request.bytes;
  startNext(state);
}

/** Starts a statement if requests are queued and none that is fast will take them all. */
function startNext(state: Coalescing): void {
  const max = Math.max(1, state.maxStatements - Number(state.isContending));
  if (state.running < max && isDue(state, state.running)) void flush(state);
}

/** Whether the queue is not left to `others`, the statements that run. */
function isDue({ queue, slow, queuedBytes }: Coalescing, others: number): boolean {
  return queue.length > 0 && (others === slow || queuedBytes > maxBytes);
}

async function flush(state: Coalescing): Promise<void> {
  state.running += 1;
  let report: Report = () => {};
  // Of several, one goes on: batches are large while one statement follows the other.
  while (isDue(state, state.running - 1)) {
    const batch = takeBatch(state.queue);
    state.queuedBytes -= sum(batch.map(({ bytes }) => bytes));
    const storing = watchSlow(state, storeBatch(state, batch));
    startNext(state);
    // After the next statement was sent, so that the database works while the responses are written.
    setImmediate(report);
    report = await storing;
  }
  report();
  state.running -= 1;
  startNext(state);
}

async function watchSlow(state: Coalescing, storing: Promise<Report>): Promise<Report> {
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    state.slow += 1;
    startNext(state);
  }, slowMs);
  const report = await storing;
  clearTimeout(timer);
  if (isSlow) state.slow -= 1;
  return report;
}

/** Never rejects. */
async function storeBatch(state: Coalescing, batch: readonly QueuedRequest[]): Promise<Report> {
  try {
    return reportTo(batch, await state.store(batch.flatMap(({ captures }) => captures)));
  } catch (error) {
    const [first] = batch;
    if (first && batch.length === 1 && isHeldUp(error)) return () => contend(state, first);
    if (batch.length === 1 || isForAll(error)) {
      return () => {
        for (const { reject } of batch) reject(error);
      };
    }
    const half = Math.ceil(batch.length / 2);
    const reports = [
      await storeBatch(state, batch.slice(0, half)),
      await storeBatch(state, batch.slice(half)),
    ];
    return () => {
      for (const report of reports) report();
    };
  }
}

function contend(state: Coalescing, request: QueuedRequest): void {
  state.contended.push(request);
  for (const capture of request.captures) state.contendedKeys.add(nameRow(capture));
  if (!state.isContending) void storeContended(state);
}

/** Stores contended requests one at a time, each in its turn. */
async function storeContended(state: Coalescing): Promise<void> {
  const { contended, contendedKeys, store } = state;
  state.isContending = true;
  for (let request = contended.shift(); request; request = contended.shift()) {
    try {
      request.resolve(await store(request.captures));
    } catch (error) {
      if (isHeldUp(error) && Date.now() - request.arrivedAt < maxLockedMs) contended.push(request);
      else request.reject(error);
    }
  }
  contendedKeys.clear();
  state.isContending = false;
  startNext(state);
}

/** Whether a statement met a locked row, or was cancelled: without the rows that it waited for it would have succeeded. */
function isHeldUp(error: unknown): boolean {
  return ['55P03', '57014'].includes(errorCodeOf(error));
}

/** Whether a statement failed by the database, and not by a row that it met, such as a locked or corrupted one. */
function isForAll(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailableError && !isHeldUp(error) && !errorCodeOf(error).startsWith('XX')
  );
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
