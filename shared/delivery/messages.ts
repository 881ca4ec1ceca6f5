import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';
import { openByteLimit } from '../byte-limit.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { getOrInsert } from '../get-or-insert.ts';
import { joinBuffers } from '../join-buffers.ts';
import { restoreBody } from '../message/printed-message.ts';
import { type Message, messageFacts } from './leased-event.ts';
import type { Leased } from './picker.ts';
import { countBytes } from './targets/target-kind.ts';

/** Bytes that one statement reads, and of each message: a larger one is read by a statement of its own. */
const maxSharedBytes = 2 ** 20;
const maxSmallBytes = 2 ** 15;
/** The largest message that is delivered: twice what capture accepts. SQL may have inserted larger ones. */
const maxMessageBytes = 2 ** 28;

/** For all workers of this process. Until it is sent, a large message takes two to five times its size. */
const takeMemory = openByteLimit(16 * 2 ** 20);

/** Where a message is sent to belongs to the record that its delivery begins. */
type Key = { readonly id: string; readonly leaseToken: string; readonly target: string };

type Row = Omit<Message, 'body' | 'headers'> & {
  readonly id: string;
  readonly bytes: number;
  /** False if only the size of the message was read. */
  readonly isRead: boolean;
  readonly slice: number;
  readonly headers: string;
  /** A slice of the body, or null if `payloadText` is all of it. */
  readonly body: Buffer | null;
  /** Whether the body is the payload as PostgreSQL prints it, from which the bytes are restored. */
  readonly isPayload: boolean;
  readonly payloadText: string | null;
  readonly printedAs: string | null;
};

/** Returns a row for each slice of a body that was read: it begins its delivery. And one for each other. */
export const readMessages = statement<{ events: readonly Key[]; maxBytes: number; maxTotal: number }, Row>(
  'read-messages',
  messageFacts,
);

/** Only the size of a message that was too large; undefined for an event that has lost its lease. */
type Read = { readonly bytes: number; readonly message?: Message; readonly problem?: string } | undefined;

/** Without a message its event has lost its lease, or cannot be sent because of `problem`. */
export type Held = {
  readonly message?: Message;
  readonly problem?: string;
  /** Gives back the memory of a large one. */
  readonly release?: () => void;
};

type Reader = {
  readonly db: Database;
  /** The events whose delivery has not begun, in order. */
  readonly waiting: ReadonlyMap<Leased, unknown>;
  /** How many events of a target are delivered so soon that their messages are read together. */
  readonly countSoon: (target: string) => number;
};

/**
 * Reads messages as deliveries begin: memory depends on bytes, and a dead worker costs few retries. Returns
 * the message of an event once there is memory for it. Throws DatabaseUnavailableError.
 */
export function openMessages(reader: Reader) {
  const readSmall = shareReads(reader.db);
  /** What was read of events that are delivered soon. */
  const ahead = new WeakMap<Leased, Promise<Read>>();
  const readAhead = (leased: Leased) =>
    getOrInsert(ahead, leased, () => {
      const reading = readSmall(keyOf(leased));
      // Its delivery may be released before it waits for the message.
      reading.catch(() => {});
      return reading;
    });
  return async (leased: Leased): Promise<Held> => {
    if (!ahead.has(leased)) listSoon(reader, leased).forEach(readAhead);
    let read = await readAhead(leased);
    while (read && !read.message && read.problem === undefined) {
      if (read.bytes > maxSmallBytes) return readLarge(reader.db, keyOf(leased), read.bytes);
      read = await readSmall(keyOf(leased));
    }
    return read ?? {};
  };
}

/** An event, and those of its target that are delivered soon after it. */
function listSoon({ waiting, countSoon }: Reader, leased: Leased): Leased[] {
  const max = countSoon(leased.target);
  const soon = [leased];
  for (const each of waiting.keys()) {
    if (soon.length >= max) break;
    if (each.target === leased.target && each !== leased) soon.push(each);
  }
  return soon;
}

async function readLarge(db: Database, key: Key, bytes: number): Promise<Held> {
  const release = await takeMemory(bytes);
  try {
    const rows = await readMessages(db, { events: [key], maxBytes: bytes, maxTotal: bytes });
    const read = toReads(rows).get(key.id);
    if (!read || read.message || read.problem !== undefined) return { ...read, release };
  } catch (error) {
    release();
    throw error;
  }
  // A capture has replaced it by a larger one meanwhile.
  release();
  return readLarge(db, key, 2 * bytes);
}

function keyOf({ event, lease, target }: Leased): Key {
  return { id: event.id, leaseToken: lease.token, target };
}

function describeExcess(bytes: number): string {
  const [takes, max] = [countBytes(bytes), countBytes(maxMessageBytes)];
  return `Not sent: the message takes ${takes}, and a worker reads up to ${max}.`;
}

function shareReads(db: Database): (key: Key) => Promise<Read> {
  const read = inBatches(async (events: readonly Key[]) =>
    toReads(await readMessages(db, { events, maxBytes: maxSmallBytes, maxTotal: maxSharedBytes })),
  );
  return async (key) => (await read(key)).get(key.id);
}

function toReads(rows: readonly Row[]): Map<string, Read> {
  const reads = new Map<string, Read>();
  for (const [id, slices] of Map.groupBy(rows, (row) => row.id)) {
    const [first] = slices.sort((a, b) => a.slice - b.slice);
    if (!first) continue;
    const { bytes, isRead } = first;
    const problem = bytes > maxMessageBytes ? { problem: describeExcess(bytes) } : {};
    reads.set(id, { bytes, ...(isRead ? restoreMessage(first, slices) : problem) });
  }
  return reads;
}

/** An event whose message cannot be restored harms no other event of its statement. */
function restoreMessage(
  first: Row,
  slices: readonly Row[],
): { readonly message: Message } | { readonly problem: string } {
  try {
    const { redelivery, damaged, payloadEncoding, contentType, sourceKeyBytes, printedAs } = first;
    const headers = JSON.parse(first.headers);
    const message = { redelivery, damaged, payloadEncoding, contentType, sourceKeyBytes, headers };
    if (!first.isPayload) return { message: { ...message, body: joinSlices(slices) } };
    const text = first.payloadText ?? joinSlices(slices).toString();
    const body = restoreBody({ body: null, payloadText: text, payloadEncoding, printedAs });
    return { message: { ...message, body } };
  } catch (error) {
    return { problem: `Not sent: the message cannot be restored. ${error}` };
  }
}

function joinSlices(rows: readonly Row[]): Buffer {
  return joinBuffers(rows.flatMap(({ body }) => body ?? []));
}

/** Items that come while a call of `handle` runs share the next one, as do those that come at once. */
function inBatches<Item, Result>(handle: (items: readonly Item[]) => Promise<Result>) {
  const inTurn = pLimit(1);
  const waiting: Item[] = [];
  let next: Promise<Result> | undefined;
  const handleAll = async () => {
    await setImmediate();
    const items = waiting.splice(0);
    next = undefined;
    return handle(items);
  };
  return (item: Item): Promise<Result> => {
    waiting.push(item);
    next ??= inTurn(handleAll);
    return next;
  };
}
