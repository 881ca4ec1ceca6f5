import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryDeps } from '../../shared/deliver-batch.ts';
import { openPipeline, type Pipeline } from '../../shared/pipeline.ts';
import { addLost, addSettled } from '../../shared/tally.ts';
import { slotLost } from '../../shared/work-on-run.ts';
import { claimDue, type DueWork } from './claim-due.ts';

/** Why a worker stopped. */
export type Stop = 'nothing due' | 'time budget spent' | 'event limit reached' | typeof slotLost;

/** Claims what is due, batch after batch, while what was claimed before is delivered and settled. */
export async function drainDue(deps: DeliveryDeps, work: DueWork): Promise<Stop> {
  const pipeline = openPipeline({ ...deps, runId: work.runId, sparesTargets: true }, (settled) =>
    addSettled(work.tallies, settled),
  );
  try {
    let stop: Stop | undefined;
    while (stop === undefined) stop = await claimMore(deps, work, pipeline);
    return stop;
  } finally {
    await pipeline.finish();
  }
}

/** Claims once, and waits until that can be worth it again. Returns why this was the last time, if it was. */
async function claimMore(deps: DeliveryDeps, work: DueWork, pipeline: Pipeline): Promise<Stop | undefined> {
  pipeline.check();
  if (work.isLost()) return slotLost;
  if (Date.now() >= work.endsAt) return 'time budget spent';
  const seen = pipeline.changes.count();
  const wasEmpty = pipeline.isEmpty();
  const claimed = await claimDue(deps, work, work.lanes.filter(pipeline.hasRoom));
  if (claimed === 'event limit reached') return claimed;
  addLost(work.tallies, claimed.events);
  const leased = claimed.events.filter(({ status }) => status === 'PROCESSING');
  pipeline.start(claimed.lease, leased);
  if (leased.length * 2 > deps.retry.batchSize && work.tallies.all.delivered > 0) work.callHelper();

  if (claimed.mayHaveMore || leased.length < claimed.events.length) return undefined;
  const isIdle = wasEmpty && leased.length === 0;
  if (isIdle && claimed.waitMs === undefined) return 'nothing due';
  // What is under way may set others free: those behind it in an ordered key, or all of a target after its probe.
  const change = isIdle ? undefined : pipeline.changes.after(seen);
  await firstOf(change, claimed.waitMs && Math.min(claimed.waitMs, work.endsAt - Date.now()));
  return undefined;
}

/** Waits for a change, but no longer than so many milliseconds, if there are any. */
async function firstOf(change: Promise<void> | undefined, ms: number | undefined): Promise<void> {
  const ending = new AbortController();
  const time = ms === undefined ? undefined : pause(ms, undefined, { signal: ending.signal });
  await Promise.race([change, time].filter((each) => each !== undefined)).finally(() => ending.abort());
}
