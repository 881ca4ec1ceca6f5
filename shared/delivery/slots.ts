import { within } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unless-locked.ts';
import type { DeliveryDeps } from './delivery-deps.ts';
import { emptyTallies, subtractTallies } from './tally.ts';

/** A slot counts as taken for this many seconds after the last heartbeat of its worker. */
const maxAliveSeconds = 6;

/** Shorter than the interval of heartbeats: the one that frees the slot waits for the one before. */
const heartbeatDeadlineMs = 4000;

/**
 * A worker's right to work on a run: a run has no more workers than slots. Events due until `dueAt` belong to
 * the run.
 */
export type Slot = { readonly number: number; readonly token: string; readonly dueAt: string };

/** Creates the missing slots of a run. */
export const openSlots = statement<{ runId: string; workers: number }, never>('open-slots', import.meta.url);

/** Returns no row if the run has ended, or all its slots are taken. */
export const takeSlot = statement<
  { runId: string; token: string; workers: number; aliveSeconds: number },
  { readonly slot: number; readonly trigger: 'schedule' | 'replay'; readonly dueAt: string }
>('take-slot', import.meta.url);

/** Returns no row if another worker has the slot. */
const reportWork = statement<
  { runId: string; slot: number; token: string; aliveSeconds: number; tally: string; targets: string },
  { readonly dueAt: string }
>('report-work', import.meta.url);

/** A slot that heartbeats keep until its worker leaves. */
export type HeldSlot = ReturnType<typeof holdSlot>;

/** Returns the seconds for which a slot stays taken without a heartbeat. */
export function aliveSecondsOf({ retry }: Pick<DeliveryDeps, 'retry'>): number {
  return Math.min(retry.leaseSeconds, maxAliveSeconds);
}

/**
 * Keeps a slot by heartbeats, each of which adds the growth of `tallies` since the last one to the run.
 * Heartbeats stop while a step of the worker takes longer than half of the time for which the slot stays
 * taken: another worker takes over.
 */
export function holdSlot(deps: Pick<DeliveryDeps, 'db' | 'retry'>, runId: string, slot: Slot) {
  const tallies = emptyTallies();
  const aliveSeconds = aliveSecondsOf(deps);
  let { dueAt } = slot;
  let isLost = false;
  let reported = emptyTallies();
  let reporting = Promise.resolve();
  const steps = new Set<{ readonly startedAt: number }>();
  const isStuck = () => [...steps].some(({ startedAt }) => Date.now() - startedAt > aliveSeconds * 500);
  const report = async (seconds: number) => {
    const now = structuredClone(tallies);
    const { all, targets } = subtractTallies(now, reported);
    const [kept] = await reportWork(within(deps.db, heartbeatDeadlineMs), {
      runId,
      slot: slot.number,
      token: slot.token,
      aliveSeconds: seconds,
      tally: JSON.stringify(all),
      targets: JSON.stringify(targets),
    });
    reported = now;
    isLost = kept === undefined;
    dueAt = kept?.dueAt ?? dueAt;
  };
  const reportNext = (seconds: number) => {
    reporting = reporting.catch(() => {}).then(() => report(seconds));
    return reporting;
  };
  // On a timer, because a worker may wait minutes for targets between two batches. The next heartbeat repeats
  // a failed one; claims and settlements report a database that is unavailable.
  const beat = () => {
    if (!isStuck()) reportNext(aliveSeconds).catch(() => {});
  };
  const heartbeat = setInterval(beat, (aliveSeconds * 1000) / 4);
  return {
    number: slot.number,
    /** The work of this worker; heartbeats add it to the run. */
    tallies,
    /** Events due until this time belong to the run; a later tick moves it forward. */
    dueAt: () => dueAt,
    /** Whether another worker took the slot, because heartbeats of this one failed for too long. */
    isLost: () => isLost,
    /** Does nothing if another session has locked the run: the next heartbeat repeats it. */
    report: () => unlessLocked(reportNext(aliveSeconds), undefined),
    /** Runs a step that waits for the database: a claim, or a settlement with its retries. */
    async during<Result>(step: () => Promise<Result>): Promise<Result> {
      const running = { startedAt: Date.now() };
      steps.add(running);
      return step().finally(() => steps.delete(running));
    },
    /**
     * Reports the remaining work, and frees the slot. If another session has locked the run, the slot frees
     * itself soon.
     */
    leave() {
      clearInterval(heartbeat);
      return unlessLocked(reportNext(0), undefined);
    },
  };
}
