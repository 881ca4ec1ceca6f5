import pLimit, { type LimitFunction } from 'p-limit';
import { errorCodeOf } from '../database/unavailable.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import type { Capture } from './message.ts';
import type { Stored } from './store-captures.ts';

/**
 * Stores the captures of a request, all or none, and returns the result of each, in their order, after the
 * commit.
 */
export type Store = (captures: readonly Capture[]) => Promise<Stored[]>;

type QueuedRequest = {
  readonly captures: readonly Capture[];
  readonly bytes: number;
  readonly arrivedAt: number;
  readonly resolve: (stored: Stored[] | Promise<Stored[]>) => void;
  readonly reject: (error: unknown) => void;
};

/** A statement of this size is as fast per event as a larger one. Beyond it, two side by side are faster. */
const maxBytes = 2 ** 18;
/** Of all requests in memory: beyond it senders must retry. */
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
  /** Runs one request after the other whose rows were locked. */
  readonly contended: LimitFunction;
  readonly contendedKeys: Set<string>;
  heldBytes: number;
  running: number;
  slow: number;
};

/**
 * Lets concurrent requests share statements of `store`: while one statement runs, requests queue for the
 * next, which starts as soon as it returns, or beside it if it is slow or more is queued than fits into a
 * statement, up to `maxStatements` at once. There is no delay: a request that arrives alone is stored at
 * once. A request keeps its captures together and in order.
 *
 * A row that fails its statement fails only its own request: then each request is stored by itself. One
 * whose event is locked is tried again beside the others for 5 s, together with later requests for the same
 * event. Throws DatabaseUnavailableError after that, and while 128 MiB are queued.
 */
export function coalesceCaptures(store: Store, maxStatements = 2): Store {
  const state: Coalescing = {
    ...{ store, maxStatements, queue: [], contended: pLimit(1), contendedKeys: new Set() },
    ...{ heldBytes: 0, running: 0, slow: 0 },
  };
  return async (captures) => {
    const bytes = captures.reduce((total, capture) => total + sizeOf(capture), 0);
    if (state.heldBytes > 0 && state.heldBytes + bytes > maxHeldBytes) {
      throw new DatabaseUnavailableError(new Error('The queue of captures is full.'));
    }
    state.heldBytes += bytes;
    try {
      return await new Promise<Stored[]>((resolve, reject) => {
        const request = { captures, bytes, arrivedAt: Date.now(), resolve, reject };
        if (captures.some((capture) => state.contendedKeys.has(nameRow(capture)))) contend(state, request);
        else state.queue.push(request);
        startNext(state);
      });
    } finally {
      state.heldBytes -= bytes;
    }
  };
}

/** Starts a statement if requests are queued and none that is fast will take them all. */
function startNext(state: Coalescing): void {
  const { queue, running, slow, maxStatements, contended } = state;
  const max = Math.max(1, maxStatements - contended.activeCount);
  const isDue = queue.length > 0 && (running === slow || countFitting(queue) < queue.length);
  if (running < max && isDue) void runStatement(state);
}

async function runStatement(state: Coalescing): Promise<void> {
  state.running += 1;
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    state.slow += 1;
    startNext(state);
  }, slowMs);
  const storing = storeBatch(state, state.queue.splice(0, countFitting(state.queue)));
  startNext(state);
  await storing;
  clearTimeout(timer);
  state.running -= 1;
  if (isSlow) state.slow -= 1;
  startNext(state);
}

/** Never rejects. */
async function storeBatch(state: Coalescing, batch: readonly QueuedRequest[]): Promise<void> {
  try {
    const stored = await state.store(batch.flatMap(({ captures }) => captures));
    // After the next statement was sent, so that the database works while the responses are written.
    setImmediate(() => {
      const rest = [...stored];
      for (const { captures, resolve } of batch) resolve(rest.splice(0, captures.length));
    });
  } catch (error) {
    const [first] = batch;
    if (first && batch.length === 1 && isHeldUp(error)) contend(state, first);
    else if (batch.length === 1 || isForAll(error)) for (const { reject } of batch) reject(error);
    else for (const request of batch) await storeBatch(state, [request]);
  }
}

/** Stores a request in its turn among those whose rows are locked. */
function contend(state: Coalescing, request: QueuedRequest): void {
  for (const capture of request.captures) state.contendedKeys.add(nameRow(capture));
  const storing = storeAlone(state, request).finally(() => {
    if (state.contended.activeCount + state.contended.pendingCount === 0) state.contendedKeys.clear();
    startNext(state);
  });
  request.resolve(storing);
}

async function storeAlone(state: Coalescing, request: QueuedRequest): Promise<Stored[]> {
  try {
    return await state.contended(() => state.store(request.captures));
  } catch (error) {
    if (!isHeldUp(error) || Date.now() - request.arrivedAt > maxLockedMs) throw error;
    return await storeAlone(state, request);
  }
}

/**
 * Whether a statement met a locked row, or was cancelled: without the rows that it waited for it would have
 * succeeded.
 */
function isHeldUp(error: unknown): boolean {
  return ['55P03', '57014'].includes(errorCodeOf(error));
}

/**
 * Whether a statement failed by the database, and not by a row that it met, such as a locked or corrupted
 * one.
 */
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

/** Returns how many requests from the head of the queue fit into a statement: at least one. */
function countFitting(queue: readonly QueuedRequest[]): number {
  let bytes = 0;
  const end = queue.findIndex((request, i) => {
    bytes += request.bytes;
    return i > 0 && bytes > maxBytes;
  });
  return end === -1 ? queue.length : end;
}
