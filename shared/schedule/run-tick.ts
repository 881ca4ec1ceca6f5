import { hash, randomUUID } from 'node:crypto';
import { sumEvents } from '../count-of.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import type { Stop } from '../delivery/picker.ts';
import { type Recovered, recover } from '../delivery/recover.ts';
import { holdSlot, isAlive, openSlots, type Slot, takeSlot } from '../delivery/slots.ts';
import { emptyTally, type Tallies, type Tally } from '../delivery/tally.ts';
import { work } from '../delivery/worker.ts';
import { log } from '../log.ts';
import { continueReplays, type ReplayWork, workOnReplay } from '../replay/work-on-replay.ts';
import { openDueEvents } from './due-events.ts';
import { countLanes } from './lanes.ts';

/** `slot` is that of the caller; null if other workers do the work. */
export const openTick = statement<
  { token: string; workers: number; allowance: number; routes: string },
  { readonly id: string; readonly dueAt: string; readonly slot: number | null }
>('open-tick', { isAlive });

/** `id` is null if the tick is not committed yet. */
const findTick = statement<Record<string, never>, { readonly id: string | null; readonly dueAt: string }>(
  'find-tick',
);

/** Pub/Sub waits at most 600 s for the answer to a worker request, which comes after the last delivery. */
const requestedBudgetSeconds = 480;

/** Lanes without a route whose events are counted. */
const maxUnrouted = 2000;

type WorkDone = { readonly tally: Tally; readonly targets: Tallies['targets'] };

/** Returns no row if other workers hold slots, or if the run was closed before. */
export const closeIdleRun = statement<{ runId: string; stopped: string }, WorkDone>('close-idle-run', {
  isAlive,
});

const switchedOff = 'retries are switched off (RETRY_ENABLED)';

export type TickDone = WorkDone & {
  /** Null if another tick was running, and this one left the work to it. */
  readonly runId: string | null;
  /** The work of all workers of the run, if this one was the last. */
  readonly run: WorkDone | null;
  /** Open events that no route matches here: they are left to other workers and ticks. */
  readonly unrouted: number;
  readonly stopped: Stop | 'another tick is running' | typeof switchedOff;
};

/**
 * Works on the events that were due when the tick began, until none is left or a limit is reached, and
 * meanwhile on idle replays. Safe to run concurrently. `isRequested`: Pub/Sub waits for its end.
 */
export async function runTick(deps: DeliveryDeps, { isRequested = false, announce = async () => {} } = {}) {
  const endsAt = Date.now() + budgetOf(deps, isRequested) * 1000;
  // First: a replay whose worker has died is idle then.
  const recovered = await recover(deps);
  await correctClock(deps.db);
  await announce();
  const working = workOnDue(deps, { endsAt, recovered });
  await Promise.allSettled([working, continueReplays(deps, endsAt)]);
  return working;
}

async function workOnDue(
  deps: DeliveryDeps,
  { endsAt, recovered }: Pick<Shift, 'endsAt' | 'recovered'>,
): Promise<TickDone> {
  const { db, retry } = deps;
  const nothing = { runId: null, tally: emptyTally(), targets: {}, run: null, unrouted: 0 };
  // No row: the alert for missing ticks fires.
  if (!retry.enabled) return { ...nothing, stopped: switchedOff };
  const worker = { ...describeWorker(deps), allowance: retry.maxEventsPerTick };
  const opened = await unlessLocked(openTick(db, worker), undefined);
  // A session that hangs has locked the run or its slots. Leases and tokens prevent double delivery without a
  // slot.
  const [run] = opened ?? (await findTick(db, {})).map((locked) => ({ ...locked, slot: undefined }));
  if (run && run.slot !== null) {
    const { id, dueAt, slot: number } = run;
    const slot = number === undefined ? undefined : { number, token: worker.token, dueAt };
    return workOnTick(deps, id, { dueAt, slot, endsAt, recovered });
  }
  return { ...nothing, stopped: 'another tick is running' };
}

/** Returns undefined if the run has ended or all its slots are taken. */
export async function joinRun(deps: DeliveryDeps, runId: string): Promise<TickDone | ReplayWork | undefined> {
  const { db } = deps;
  const endsAt = Date.now() + budgetOf(deps, true) * 1000;
  const worker = describeWorker(deps);
  await openSlots(db, { runId, workers: worker.workers });
  const [taken] = await takeSlot(db, { runId, ...worker });
  if (!taken) return undefined;
  const slot = { number: taken.slot, token: worker.token, dueAt: taken.dueAt };
  return taken.trigger === 'schedule'
    ? workOnTick(deps, runId, { dueAt: taken.dueAt, slot, endsAt })
    : { runId, stopped: await workOnReplay(deps, runId, { slot, endsAt }) };
}

/** With its routes: workers of two configurations each do what the other one has no route for. */
function describeWorker(deps: DeliveryDeps) {
  const routes = hash('sha256', JSON.stringify(deps.routes), 'base64');
  return { token: randomUUID(), workers: deps.retry.workers, routes };
}

function budgetOf({ retry: { tickBudgetSeconds } }: DeliveryDeps, isRequested: boolean): number {
  return isRequested ? Math.min(tickBudgetSeconds, requestedBudgetSeconds) : tickBudgetSeconds;
}

type Shift = {
  readonly dueAt: string;
  readonly slot: Slot | undefined;
  readonly endsAt: number;
  readonly recovered?: readonly Recovered[] | undefined;
};

/** The last worker to leave closes the run. A worker without a slot leaves no trace but its attempts. */
async function workOnTick(
  deps: DeliveryDeps,
  runId: string | null,
  { dueAt, slot, endsAt, recovered }: Shift,
): Promise<TickDone> {
  const held = slot && runId !== null ? holdSlot(deps, runId, slot) : undefined;
  const picker = openDueEvents(deps, { dueAt });
  const assignment = { runId, endsAt, picker, held, recovered };
  const { stopped, isHandedOver, tallies } = await work(deps, assignment);
  const lanes = [...picker.unrouted].slice(0, maxUnrouted).map((lane) => ({ lane }));
  const unrouted = sumEvents(await countLanes(deps.db, lanes));
  const isOpen = !held || isHandedOver || stopped === 'slot lost';
  const [run = null] =
    isOpen || runId === null ? [] : await unlessLocked(closeIdleRun(deps.db, { runId, stopped }), []);
  // Its deliveries may have found the target back for which a replay waits.
  if (run?.tally.claimed) await continueReplays(deps, endsAt);
  return { runId, tally: tallies.all, targets: tallies.targets, run, unrouted, stopped };
}

const correct = statement<Record<string, never>, { readonly id: string }>('correct-clock');

/** After a step back of the clock no event waits for it to catch up. */
async function correctClock(db: Database): Promise<void> {
  const corrected = await correct(db, {});
  if (corrected.length === 0) return;
  log('WARNING', 'The clock of the database has stepped back: times that it had set ahead were corrected.', {
    events: corrected.length,
  });
}
