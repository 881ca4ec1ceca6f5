import pLimit from 'p-limit';
import { within } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import type { DeliveryDeps } from './delivery-deps.ts';
import { emptyTallies } from './tally.ts';

/** Whether a slot is taken, as SQL. A heartbeat of the future is from before a step back of the clock. */
export const isAlive =
  "(worker.heartbeat_at between now() - interval '6 seconds' and now() + interval '6 seconds')";

const heartbeatMs = 1500;
/** A slot outlives a heartbeat without an answer, and the one that frees it waits for the one before. */
const heartbeatDeadlineMs = 4000;

/** A run has no more workers than slots. Events due until `dueAt` belong to the run. */
export type Slot = { readonly number: number; readonly token: string; readonly dueAt: string };

export const openSlots = statement<{ runId: string; workers: number }, never>('open-slots');

/** Returns no row if the run has ended, or all its slots are taken. */
export const takeSlot = statement<
  { runId: string; token: string; workers: number; routes: string },
  { readonly slot: number; readonly trigger: 'schedule' | 'replay'; readonly dueAt: string }
>('take-slot', { isAlive });

/** Returns no row if another worker has the slot. */
const reportWork = statement<
  { runId: string; slot: number; token: string; isLast: boolean; tally: string; targets: string },
  { readonly dueAt: string; readonly isPaused: boolean }
>('report-work');

export type HeldSlot = ReturnType<typeof holdSlot>;

/** Keeps a slot by heartbeats, each of which adds the growth of `tallies` to its run. */
export function holdSlot({ db }: Pick<DeliveryDeps, 'db'>, runId: string, slot: Slot) {
  const tallies = emptyTallies();
  const state = { dueAt: slot.dueAt, isPaused: false, isLost: false };
  const inTurn = pLimit(1);
  const report = (isLast = false) =>
    inTurn(async () => {
      const [kept] = await reportWork(within(db, heartbeatDeadlineMs), {
        runId,
        slot: slot.number,
        token: slot.token,
        isLast,
        tally: JSON.stringify(tallies.all),
        targets: JSON.stringify(tallies.targets),
      });
      Object.assign(state, kept, { isLost: kept === undefined });
    });
  // On a timer, because a worker may wait minutes for targets between two batches. The next heartbeat repeats
  // a failed one; claims and settlements report a database that is unavailable.
  const heartbeat = setInterval(() => report().catch(() => {}), heartbeatMs);
  return {
    number: slot.number,
    tallies,
    /** The run has what is due until this time; a later tick moves it forward. */
    dueAt: () => state.dueAt,
    isPaused: () => state.isPaused,
    /** Another worker took the slot, because heartbeats of this one failed for too long. */
    isLost: () => state.isLost,
    /** Does nothing if another session has locked the run: the next heartbeat repeats it. */
    report: () => unlessLocked(report(), undefined),
    /** If the run is locked, the slot frees itself soon. */
    leave() {
      clearInterval(heartbeat);
      return unlessLocked(report(true), undefined);
    },
  };
}
