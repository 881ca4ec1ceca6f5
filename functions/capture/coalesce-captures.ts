import { DatabaseUnavailableError } from '../../shared/errors.ts';
import type { Capture } from './message.ts';
import type { Stored } from './store-captures.ts';

/** Stores captures and returns what became of each event key, after the commit. */
export type Store = (captures: readonly Capture[]) => Promise<Stored[]>;

/** The captures of one request, and whom to tell what became of them. */
export type Request = {
  readonly captures: readonly Capture[];
  readonly resolve: (stored: Stored[]) => void;
  readonly reject: (error: unknown) => void;
};

type Waiting = Request & { readonly bytes: number };

/** Lets the requests of a statement know how it ended. */
type Tell = () => void;

/** Events and bytes of one statement, and bytes that may wait for the next before senders are told to come back. */
const mostEvents = 500;
const mostBytes = 16 * 2 ** 20;
const mostWaitingBytes = 128 * 2 ** 20;

/**
 * Lets concurrent requests share one statement: while one is on its way, the next fills up, and leaves as soon as it
 * returns. No timer: a lone request is stored at once. A row that fails its statement fails only its own request.
 * Tells by callback: under the framework each promise of a request costs as much as reading a capture does.
 */
export function coalesceCaptures(store: Store): (request: Request) => void {
  const queue: Waiting[] = [];
  let waitingBytes = 0;
  let isFlushing = false;

  const storeNext = async (): Promise<Tell> => {
    const batch = takeBatch(queue);
    const tell = await storeBatch(store, batch);
    waitingBytes -= sum(batch.map(({ bytes }) => bytes));
    return tell;
  };
  const flushAll = async () => {
    isFlushing = true;
    let tell: Tell = () => {};
    while (queue.length > 0) {
      const storing = storeNext();
      // Once that is on its way, so that the database has work meanwhile.
      setImmediate(tell);
      tell = await storing;
    }
    tell();
    isFlushing = false;
  };

  return (request) => {
    const bytes = sum(request.captures.map(({ body }) => body.length));
    if (queue.length > 0 && waitingBytes + bytes > mostWaitingBytes) {
      return request.reject(new DatabaseUnavailableError(new Error('Too many captures are waiting.')));
    }
    waitingBytes += bytes;
    queue.push({ ...request, bytes });
    if (!isFlushing) void flushAll();
  };
}

/** At least one request, and then as many as fit. */
function takeBatch(queue: Waiting[]): Waiting[] {
  let events = 0;
  let bytes = 0;
  const end = queue.findIndex((waiting, i) => {
    events += waiting.captures.length;
    bytes += waiting.bytes;
    return i > 0 && (events > mostEvents || bytes > mostBytes);
  });
  return queue.splice(0, end === -1 ? queue.length : end);
}

async function storeBatch(store: Store, batch: readonly Waiting[]): Promise<Tell> {
  try {
    const stored = await store(batch.flatMap(({ captures }) => captures));
    const byKey = new Map(stored.map((each) => [each.event_key, each]));
    return () => {
      for (const { captures, resolve } of batch) resolve(pick(byKey, captures));
    };
  } catch (error) {
    if (batch.length === 1 || error instanceof DatabaseUnavailableError) {
      return () => {
        for (const { reject } of batch) reject(error);
      };
    }
    const tells: Tell[] = [];
    for (const waiting of batch) tells.push(await storeBatch(store, [waiting]));
    return () => {
      for (const tell of tells) tell();
    };
  }
}

/** A request's own events, each once. */
function pick(byKey: ReadonlyMap<string, Stored>, captures: readonly Capture[]): Stored[] {
  const keys = new Set(captures.map(({ eventKey }) => eventKey));
  return [...keys].flatMap((key) => byKey.get(key) ?? []);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
