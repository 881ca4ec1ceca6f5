import { setTimeout as sleep } from 'node:timers/promises';
import { type Dice, openDice } from './dice.ts';
import type { FunctionProcess } from './function-process.ts';
import type { Ledger } from './ledger.ts';
import { aBatch, aReport, type Parcel } from './parcels.ts';

type Options = {
  readonly ledger: Ledger;
  readonly captures: readonly FunctionProcess[];
  readonly seed: number;
  /** The deployment: names of events begin with it. */
  readonly name: string;
  readonly plain: number;
  readonly ordered: number;
  readonly pauseMs: number;
};

type Sender = Options & { readonly sender: string; readonly isOver: () => boolean };

/** Starts senders. Returns a function that stops them, and resolves once their last requests have ended. */
export function startSenders(options: Options): () => Promise<unknown> {
  let isOver = false;
  const isStopped = () => isOver;
  const running = [
    ...Array.from({ length: options.plain }, (_, i) =>
      runPlain({ ...options, sender: `${options.name}-plain${i}`, isOver: isStopped }),
    ),
    ...Array.from({ length: options.ordered }, (_, i) =>
      runOrdered({ ...options, sender: `${options.name}-key${i}`, isOver: isStopped }),
    ),
  ];
  return () => {
    isOver = true;
    return Promise.all(running);
  };
}

/**
 * Sends single events and batches: some out of order, some twice, some only in part, and some never to the
 * end.
 */
async function runPlain(options: Sender): Promise<void> {
  const { ledger, seed, sender, isOver, pauseMs } = options;
  const late: Promise<unknown>[] = [];
  for (let n = 0; !isOver(); n++) {
    const dice = openDice(seed, `${sender} ${n}`);
    const make = dice.isBelow(0.1) ? aBatch : aReport;
    const first = make(ledger, `${sender}-${n}`, dice);
    const isReordered = dice.isBelow(0.15);
    const later = isReordered ? [aReport(ledger, `${sender}-${n}-later`, dice)] : [];
    for (const parcel of [...later, first]) {
      await sendSomehow(options, parcel, dice);
      if (dice.isBelow(0.2)) late.push(repeatLater(options, parcel, dice));
    }
    if (isReordered) noteFault(ledger, 'a sender sends a later event first', first, !isOver());
    await sleep(dice.between(0, 2 * pauseMs));
  }
  await Promise.all(late);
}

/**
 * Sends a request until it is answered with 200. Some senders leave before; half of these never send it
 * again.
 */
async function sendSomehow(options: Sender, parcel: Parcel, dice: Dice): Promise<void> {
  const hasLeft = dice.isBelow(0.12) && (await giveUp(options, parcel, dice));
  if (!hasLeft || dice.isBelow(0.5)) await sendUntilCaptured(options, parcel, dice);
}

/** Sends the events of one key one after the other, each until it is captured. */
async function runOrdered(options: Sender): Promise<void> {
  const { ledger, seed, sender, isOver, pauseMs } = options;
  for (let n = 0; !isOver(); n++) {
    const dice = openDice(seed, `${sender} ${n}`);
    const parcel = aReport(ledger, `${sender}-${n}`, dice, sender);
    await sendUntilCaptured({ ...options, isOver: () => false }, parcel, dice);
    if (dice.isBelow(0.1)) await repeatLater(options, parcel, dice);
    await sleep(dice.between(0, 3 * pauseMs));
  }
}

function noteFault(ledger: Ledger, kind: string, parcel: Parcel, isEffective: boolean): void {
  const names = parcel.events.map(({ name }) => name).join(', ');
  const now = Date.now();
  const effect = isEffective ? names : undefined;
  ledger.faults.push({ kind, at: now, until: now, effect, workers: [], rows: [] });
}

/**
 * A report that is sent again without a key says again that its event failed: in its latest delivery, as far
 * as capture can tell; also if no answer ever came.
 */
function noteRepetition({ repetitions }: Ledger, parcel: Parcel, at: number): void {
  const { events, init, isSent } = parcel;
  parcel.isSent = true;
  if (isSent && !new Headers(init.headers).has('idempotency-key'))
    repetitions.push(...events.map((event) => ({ event, at })));
}

/** Returns the status of the answer, 0 without one. */
async function send(
  { captures, ledger }: Options,
  parcel: Parcel,
  dice: Dice,
  signal?: AbortSignal,
): Promise<number> {
  const beganAt = Date.now();
  const { events, init } = parcel;
  noteRepetition(ledger, parcel, beganAt);
  try {
    const all = { ...init, ...(signal && { signal }) };
    const { status, text } = await dice.pick(captures).request('/', all, 20_000);
    if (status !== 200) return status;
    const endedAt = Date.now();
    ledger.captures.push({ beganAt, endedAt });
    const stored: { readonly id: string }[] = JSON.parse(text).events;
    for (const [i, sent] of events.entries()) {
      sent.capturedAt ??= endedAt;
      sent.rows.add(stored[i]?.id ?? 'none');
    }
    return status;
  } catch {
    return 0;
  }
}

async function sendUntilCaptured(options: Sender, parcel: Parcel, dice: Dice): Promise<void> {
  while ((await send(options, parcel, dice)) !== 200) {
    if (options.isOver()) return;
    await sleep(dice.between(50, 200));
  }
}

async function repeatLater(options: Sender, parcel: Parcel, dice: Dice): Promise<void> {
  await sleep(dice.pick([0, 0, 100, 1000, 5000]));
  const status = await send(options, parcel, dice);
  noteFault(options.ledger, 'a sender repeats a request', parcel, status === 200);
}

/** Sends a request, and leaves within milliseconds. Returns whether it left before the answer. */
async function giveUp(options: Sender, parcel: Parcel, dice: Dice): Promise<boolean> {
  const hasLeft =
    (await send(options, parcel, dice, AbortSignal.timeout(Math.round(dice.between(0, 25))))) === 0;
  noteFault(options.ledger, 'a sender gives up within its request', parcel, hasLeft);
  return hasLeft;
}
