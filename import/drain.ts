import { setTimeout as pause } from 'node:timers/promises';
import { CommandError } from './command-error.ts';
import { type Counts, countCaptured } from './count-captured.ts';
import { holdMessages } from './hold-messages.ts';
import type { ReceivedMessage, Subscriber } from './open-subscriber.ts';
import { type SendLines, type Sent, sendInParts } from './send-lines.ts';
import { toPushLine } from './to-push-line.ts';

export type DrainDeps = {
  readonly subscriber: Subscriber;
  readonly send: SendLines;
  /** Nothing is pulled after the batch in progress. */
  readonly stop: AbortSignal;
  /** Reports a message that stays in the subscription. */
  readonly reject: (messageId: string, reason: string) => void;
  /** Called after each batch. */
  readonly onProgress: () => void;
};

export type DrainOptions = {
  /** The subscription by whose name capture knows the messages. */
  readonly subscription: string;
  /** The command ends when no message was captured for this time. */
  readonly idleSeconds: number;
  /** The command ends after this number of messages. */
  readonly limit: number;
};

/** `rejected`: ids of messages that stay in the subscription. */
export type Drained = { readonly events: Counts; readonly rejected: Set<string> };

type Item = { readonly bytes: Buffer; readonly ackId: string; readonly messageId: string };

/** Messages of the first pull, and of any; the bytes that a pull should bring at most, as far as sizes are known. */
const firstMessages = 50;
const maxMessages = 500;
const maxPulledBytes = 16 * 2 ** 20;
const maxBatchBytes = 4 * 2 ** 20;

/**
 * Moves the messages of a subscription to capture, until none comes any more. A message is acknowledged only after capture
 * stored it: after a stop at any time, the others are still in the subscription, and those that come again are known.
 * One pull after the other, so that messages of one ordering key stay in the order in which Pub/Sub delivers them. Changes
 * `drained`, which is valid after an error, too.
 */
export async function drain(deps: DrainDeps, options: DrainOptions, drained: Drained): Promise<void> {
  const { subscriber, stop } = deps;
  const isFull = () => countOf(drained) >= options.limit;
  let activeAt = Date.now();
  let size = firstMessages;
  while (!stop.aborted && !isFull()) {
    const received = await subscriber.pull(Math.min(size, options.limit - countOf(drained)));
    const items = received.map((each) => toItem(each, options)).filter((each) => !isRejected(drained, each));
    if (items.length > 0) {
      await moveItems(deps, items, drained);
      size = chooseSize(items);
      activeAt = Date.now();
      continue;
    }
    const leftMs = activeAt + options.idleSeconds * 1000 - Date.now();
    if (leftMs <= 0) return;
    await pause(Math.min(leftMs, 1000), undefined, { signal: stop }).catch(() => {});
  }
}

/** The number of messages of the next pull: messages of a subscription have similar sizes, up to 10 MB. */
function chooseSize(items: readonly Item[]): number {
  const bytes = items.reduce((sum, item) => sum + item.bytes.length, 0);
  return Math.max(1, Math.min(maxMessages, Math.floor((maxPulledBytes / bytes) * items.length)));
}

function countOf({ events }: Drained): number {
  return events.new + events.known;
}

function toItem(received: ReceivedMessage, { subscription }: DrainOptions): Item {
  return {
    bytes: toPushLine(received, subscription),
    ackId: received.ackId ?? '',
    messageId: received.message?.messageId ?? '',
  };
}

function isRejected({ rejected }: Drained, { messageId }: Item): boolean {
  return rejected.has(messageId);
}

async function moveItems(deps: DrainDeps, items: readonly Item[], drained: Drained): Promise<void> {
  const { subscriber, send, onProgress } = deps;
  const held = new Set(items.map(({ ackId }) => ackId));
  const lease = await holdMessages(subscriber, held);
  try {
    for (const batch of splitBySize(items)) {
      for await (const sent of sendInParts(send, batch)) await settle(deps, sent, drained);
      for (const { ackId } of batch) held.delete(ackId);
      onProgress();
    }
    lease.stop();
  } catch (error) {
    // Another run gets them at once.
    await lease.release();
    throw error;
  }
}

/** Acknowledges messages that are stored. */
async function settle(
  { subscriber, reject }: DrainDeps,
  { items, events }: Sent<Item>,
  drained: Drained,
): Promise<void> {
  if (events?.length === items.length) {
    await subscriber.acknowledge(items.map(({ ackId }) => ackId));
    countCaptured(drained.events, events);
    return;
  }
  if (events) throw new CommandError('The answer has another number of events: is this URL that of capture?');
  for (const { messageId } of items) {
    drained.rejected.add(messageId);
    reject(messageId, 'is larger than MAX_BODY_BYTES of the deployment, and stays in the subscription');
  }
}

/** Batches of up to 4 MiB, or of one larger message. */
function splitBySize(items: readonly Item[]): Item[][] {
  const batches: Item[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    if (bytes + item.bytes.length > maxBatchBytes) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(item);
    bytes += item.bytes.length;
  }
  return batches;
}
