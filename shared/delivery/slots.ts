import pLimit from 'p-limit';
import { within } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import type { DeliveryDeps } from './delivery-deps.ts';
import { emptyTallies } from './tally.ts';

/** A slot counts as taken for this many seconds after the last heartbeat of its worker. */
const maxAliveSeconds = 6;

/** Shorter than the interval of heartbeats: the one that frees the slot waits for the one before. */
const heartbeatDeadlineMs = 4000;

/** A run has no more workers than slots. Events due until `dueAt` belong to the run. */
export type Slot = { readonly number: number; readonly token: string; readonly dueAt: string };

export const openSlots = statement<{ runId: string; workers: number }, never>('open-slots');

/** Returns no row if the run has ended, or all its slots are taken. */
export const takeSlot = statement<
  { runId: string; token: string; workers: number; aliveSeconds: number; routes: string },
  { readonly slot: number; readonly trigger: 'schedule' | 'replay'; readonly dueAt: string }
>('take-slot');

/** Returns no row if another worker has the slot. */
const reportWork = statement<
  { runId: string; slot: number; token: string; aliveSeconds: number; tally: string; targets: string },
  { readonly dueAt: string; readonly isPaused: boolean }
>('report-work');

export type HeldSlot = ReturnType<typeof holdSlot>;

/** Returns the seconds for which a slot stays taken without a heartbeat. */
export function aliveSecondsOf({ retry }: Pick<DeliveryDeps, 'retry'>): number {
  return Math.min(retry.leaseSeconds, maxAliveSeconds);
}

/** Keeps a slot by heartbeats, each of which adds the growth of `tallies` to its run. */
export function holdSlot(deps: Pick<DeliveryDeps, 'db' | 'retry'>, runId: string, slot: Slot) {
  const tallies = emptyTallies();
  const state = { dueAt: slot.dueAt, isPaused: false, isLost: false };
  const inTurn = pLimit(1);
  const report = (aliveSeconds: number) =>
    inTurn(async () => {
      const [kept] = await reportWork(within(deps.db, heartbeatDeadlineMs), {
        runId,
        slot: slot.number,
        token: slot.token,
        aliveSeconds,
        tally: JSON.stringify(tallies.all),
        targets: JSON.stringify(tallies.targets),
      });
      Object.assign(state, kept, { isLost: kept === undefined });
    });
  const aliveSeconds = aliveSecondsOf(deps);
  // On a timer, because a worker may wait minutes for targets between two batches. The next heartbeat repeats
  // a failed one; claims and settlements report a database that is unavailable.
  const heartbeat = setInterval(() => report(aliveSeconds).catch(() => {}), (aliveSeconds * 1000) / 4);
  return {
    number: slot.number,
    tallies,
    /** The run has what is due until this time; a later tick moves it forward. */
    dueAt: () => state.dueAt,
    isPaused: () => state.isPaused,
    /** Another worker took the slot, because heartbeats of this one failed for too long. */
    isLost: () => state.isLost,
    /** Does nothing if another session has locked the run: the next heartbeat repeats it. */
    report: () => unlessLocked(report(aliveSeconds), undefined),
    /** If the run is locked, the slot frees itself soon. */
    leave() {
      clearInterval(heartbeat);
      return unlessLocked(report(0), undefined);
    },
  };
}
