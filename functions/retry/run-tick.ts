import type { Database } from '../../shared/database.ts';
import type { DeliveryDeps } from '../../shared/deliver-batch.ts';
import { fillFingerprints } from '../../shared/fingerprint/fill-fingerprints.ts';
import { foldCounts } from '../../shared/fold-counts.ts';
import { routeLanes } from '../../shared/lanes.ts';
import { closeRun, keepRunAlive, openTick } from '../../shared/runs.ts';
import { emptyTally, type Tallies, type Tally } from '../../shared/tally.ts';
import { drainDue, type Stop } from './drain-due.ts';

export type Tick = {
  /** Null where another tick was at work, and this one left it to that. */
  readonly runId: string | null;
  readonly tally: Tally;
  readonly targets: Readonly<Record<string, Tally>>;
  /** Open events that no route matches: they wait, at no cost. */
  readonly unrouted: number;
  readonly stopped: Stop | 'another tick is running';
};

/** For so long after its last sign of life a tick counts as running, and keeps the next one from starting. */
const mostAliveSeconds = 20;

/**
 * Works on what was due when the tick began until nothing of it is left, its time is spent or its limit reached. What
 * fails during the tick waits for a later one. Safe to run many times at once.
 */
export async function runTick(deps: DeliveryDeps): Promise<Tick> {
  const { db, routes, retry } = deps;
  const endsAt = Date.now() + retry.tickBudgetSeconds * 1000;
  await fillFingerprints(db);
  await foldCounts(db);
  const { lanes, unrouted } = await routeLanes(db, routes, retry);
  const aliveSeconds = Math.min(retry.leaseSeconds, mostAliveSeconds);
  const [run] = await openTick(db, { aliveSeconds });
  const tallies: Tallies = { all: emptyTally(), targets: {} };
  const told = { tally: tallies.all, targets: tallies.targets, unrouted };
  if (!run) return { ...told, runId: null, stopped: 'another tick is running' };
  const heartbeat = beat(db, run.id, aliveSeconds);
  let stopped: Stop | 'failed' = 'failed';
  try {
    stopped = await drainDue(deps, { id: run.id, dueAt: run.started_at, lanes, endsAt, tallies });
    return { ...told, runId: run.id, stopped };
  } finally {
    clearInterval(heartbeat);
    const { all: tally, targets } = tallies;
    const record = { id: run.id, stopped, tally: JSON.stringify(tally), targets: JSON.stringify(targets) };
    // A tick that failed has told why already; that it could not be recorded as well would only hide it.
    await closeRun(db, record).catch((error: unknown) => {
      if (stopped !== 'failed') throw error;
    });
  }
}

/** Between batches there may be minutes of waiting for targets, so that signs of life come by the clock. */
function beat(db: Database, id: string, aliveSeconds: number): NodeJS.Timeout {
  const keepAlive = () => {
    // One that fails is made up for by the next; the tick itself notices a database that is away.
    keepRunAlive(db, { id, aliveSeconds }).catch(() => {});
    // A long tick changes a great deal, which nobody else may be there to fold.
    foldCounts(db).catch(() => {});
  };
  return setInterval(keepAlive, (aliveSeconds * 1000) / 4);
}
