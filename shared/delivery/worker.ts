import { randomUUID } from 'node:crypto';
import { within } from '../database/database.ts';
import type { ClaimSource, Lease } from './claim.ts';
import { type DeliveryDeps, workerDeadlineMs } from './delivery-deps.ts';
import { openPipeline, type Pipeline } from './pipeline.ts';
import { retryWhileUnavailable } from './settle.ts';
import type { Settled } from './settlement.ts';
import type { HeldSlot } from './slots.ts';
import { addLost, addSettled, emptyTallies, type Tallies } from './tally.ts';
import { tryRequestWorker } from './worker-requests.ts';

/** A run to work on until `endsAt` (ms since the epoch), the source of its events, and the worker's slot if it has one. */
type Assignment<Stop extends string> = {
  /** Null if it is not committed. */
  readonly runId: string | null;
  readonly endsAt: number;
  readonly source: ClaimSource<Stop>;
  readonly held?: HeldSlot;
};

/** Why a worker stops although its source may have more: its time is spent, its process ends, or it has lost its slot. */
export type WorkerStop = 'time budget spent' | 'shutdown' | 'slot lost';

/**
 * Works on a run: claims, delivers, settles, and leaves its slot. The next batch is claimed while earlier ones are still
 * delivered and settled (see openPipeline). A worker whose time is spent, or whose process ends, requests another one. A worker that throws
 * leaves its run open for other workers and the next tick. `isHandedOver`: another worker was requested to continue the run.
 * Throws DatabaseUnavailableError.
 */
export async function work<Stop extends string>(deps: DeliveryDeps, assignment: Assignment<Stop>) {
  const { runId, source, held } = assignment;
  const tallies = held?.tallies ?? emptyTallies();
  const record = (settled: readonly Settled[]) => addSettled(tallies, settled);
  const pipeline = openPipeline(deps, { runId, source, record, during: held?.during });
  const requests: Promise<void>[] = [];
  const requestHelper = () => {
    // Only the first worker of a run requests helpers: otherwise every worker would request the same ones.
    if (runId === null || held?.number !== 1 || requests.length >= deps.retry.workers - 1) return;
    requests.push(tryRequestWorker(deps, runId));
  };
  try {
    const worker = { pipeline, tallies, requestHelper, stopping: deps.shutdown?.stopping };
    const stopped = await claimUntilDone(assignment, worker).finally(pipeline.finish);
    await held?.leave();
    const isCutShort = stopped === 'time budget spent' || stopped === 'shutdown';
    const isHandedOver = isCutShort && deps.retry.continueTopic !== undefined;
    if (isHandedOver && runId !== null) requests.push(tryRequestWorker(deps, runId));
    return { stopped, tallies, isHandedOver };
  } catch (error) {
    // A slot that is not left keeps the next tick waiting until it expires by itself.
    if (held) await retryWhileUnavailable(Date.now() + maxLeaveMs, held.leave).catch(() => {});
    throw error;
  } finally {
    await Promise.all(requests);
  }
}

type Worker = {
  readonly pipeline: Pipeline;
  readonly tallies: Tallies;
  readonly requestHelper: () => void;
  readonly stopping: AbortSignal | undefined;
};

async function claimUntilDone<Stop extends string>(
  { endsAt, source, held }: Assignment<Stop>,
  { pipeline, tallies, requestHelper, stopping }: Worker,
): Promise<Stop | WorkerStop> {
  for (;;) {
    pipeline.check();
    if (held?.isLost()) return 'slot lost';
    if (stopping?.aborted) return 'shutdown';
    if (Date.now() >= endsAt) return 'time budget spent';
    const changeCount = pipeline.changes.count();
    const claim = await (held?.during(() => source.claim(pipeline)) ?? source.claim(pipeline));
    if (claim.stopped !== undefined) return claim.stopped;
    addLost(tallies, claim.lost);
    pipeline.start(claim);
    if (claim.needsHelp && tallies.all.delivered > 0) requestHelper();
    const waitMs = Math.min(claim.waitMs ?? maxWaitMs, maxWaitMs, Math.max(0, endsAt - Date.now()));
    await waitForMore(pipeline, changeCount, waitMs);
  }
}

/** How long a worker that failed tries to leave its slot. */
const maxLeaveMs = 10_000;

/** The longest wait between two claims, in ms: events may have become due, and another tick extended the run to them. */
const maxWaitMs = 2000;

/** Returns the dependencies of a worker: its statements have a deadline, after which they are repeated on another connection. */
export function workerDeps(deps: DeliveryDeps): DeliveryDeps {
  return { ...deps, db: within(deps.db, workerDeadlineMs) };
}

/** Opens a lease for the next claim. It starts before the claim, so that it ends here before it ends in the database. */
export function openLease(leaseSeconds: number): Lease {
  return { token: randomUUID(), endsAt: Date.now() + leaseSeconds * 1000 };
}

/** Waits for a change of the pipeline or for `waitMs`, whichever comes first. 0: no wait. */
async function waitForMore({ changes }: Pipeline, changeCount: number, waitMs: number): Promise<void> {
  if (waitMs === 0) return;
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, waitMs);
  await Promise.race([timeout.promise, changes.after(changeCount)]).finally(() => clearTimeout(timer));
}
