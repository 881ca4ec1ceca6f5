import { setTimeout as pause } from 'node:timers/promises';
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

type Coalescing = {
  readonly store: Store;
  readonly queue: QueuedRequest[];
  /** The connections. */
  readonly statements: LimitFunction;
  /** Those of queued requests, one after the other unless one is slow. */
  readonly turns: LimitFunction;
  /** Those of requests of failed statements, one after the other. */
  readonly alone: LimitFunction;
  /** Later requests for the same rows wait with the request that found them locked. */
  readonly lockedRows: Set<string>;
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
  const [statements, turns, alone] = [pLimit(maxStatements), pLimit(1), pLimit(1)];
  const state: Coalescing = { store, queue: [], statements, turns, alone, lockedRows: new Set() };
  let heldBytes = 0;
  return async (captures) => {
    const bytes = captures.reduce((total, capture) => total + sizeOf(capture), 0);
    if (heldBytes > 0 && heldBytes + bytes > maxHeldBytes) {
      throw new DatabaseUnavailableError(new Error('The queue of captures is full.'));
    }
    heldBytes += bytes;
    try {
      return await new Promise<Stored[]>((resolve, reject) => {
        const request = { captures, bytes, arrivedAt: Date.now(), resolve, reject };
        if (captures.some((capture) => state.lockedRows.has(nameRow(capture))))
          resolve(storeAlone(state, request));
        else if (state.queue.push(request) === 1) void turns(() => storeNext(state));
      });
    } finally {
      heldBytes -= bytes;
    }
  };
}

/** Stores queued requests, and ends once the next ones need not wait for them. */
async function storeNext(state: Coalescing): Promise<void> {
  const { queue, statements } = state;
  const storing = statements(() => {
    const batch = queue.splice(0, countFitting(queue));
    if (queue.length > 0) void storeNext(state);
    return storeBatch(state, batch);
  });
  await Promise.race([storing, pause(slowMs)]);
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
    const isFinal = isForAll(error) || (batch.length === 1 && !isHeldUp(error));
    for (const request of batch) {
      if (isFinal) request.reject(error);
      else request.resolve(storeAlone(state, request));
    }
  }
}

/** Again and behind the others while its rows are locked. */
async function storeAlone(state: Coalescing, request: QueuedRequest): Promise<Stored[]> {
  const { store, statements, alone, lockedRows } = state;
  const { captures, arrivedAt } = request;
  try {
    return await alone(() => statements(() => store(captures)));
  } catch (error) {
    if (!isHeldUp(error) || Date.now() - arrivedAt > maxLockedMs) throw error;
    const rows = captures.map(nameRow);
    for (const row of rows) lockedRows.add(row);
    return await storeAlone(state, request).finally(() => {
      for (const row of rows) lockedRows.delete(row);
    });
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
