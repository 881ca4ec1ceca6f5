import { sumDepths } from '../../../shared/counts/sum-depths.ts';
import { readStates } from '../../../shared/delivery/read-states.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { findOldestOpenEvent } from '../../../shared/events/find-events.ts';
import { listGroups } from '../../../shared/groups/list-groups.ts';
import { listOpenRuns } from '../../../shared/replay/list-runs.ts';
import { listBlockers } from '../../../shared/schedule/blockers.ts';
import { forecast } from '../../../shared/schedule/forecast.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { listTicks } from '../../../shared/schedule/ticks.ts';
import { listKnownTargets } from '../../../shared/targets/target-names.ts';
import type { ConsoleDeps } from '../page.ts';

const maxRuns = 5;
/** Errors and blockers that are named one by one. */
const maxNamed = 3;

/** How far schedule, replays and targets are, and what waits for something else than its time. */
export type Progress = Awaited<ReturnType<typeof readProgress>>;

/** Reads all that does not go on by itself, each part beside the others. */
export async function readProgress(deps: ConsoleDeps, now: Date) {
  const [depths, work] = await Promise.all([readUndecided(deps, now), readWork(deps)]);
  return { ...depths, ...work };
}

async function readWork(deps: ConsoleDeps) {
  const { db, routes } = deps;
  const snapshot = await readSnapshot(deps);
  const { breakers, lanes, isWhole } = snapshot;
  const [next, targets, ticks, runs, blockers] = await Promise.all([
    forecast(deps, snapshot),
    readStates(db, listKnownTargets(routes, breakers), breakers),
    listTicks(db, { before: maxBigint, limit: 6 }),
    listOpenRuns(deps, { limit: maxRuns }),
    listBlockers(db, lanes, { limit: maxNamed }),
  ]);
  return { lanes, isWhole, forecast: next, targets, ticks, runs, blockers };
}

/** The number of events in each status, the oldest open one, and the errors with most permanent failures. */
async function readUndecided({ db }: ConsoleDeps, until: Date) {
  const [[counted], [oldest]] = await Promise.all([sumDepths(db, {}), findOldestOpenEvent(db, {})]);
  const { pending = 0, processing = 0, failedPermanently: failed = 0 } = counted ?? {};
  const states = ['OPEN', 'ACKNOWLEDGED', 'REGRESSED'] as const;
  const all = { afterKey: null, afterFingerprint: null, folded: [], words: [], owner: null };
  const page = { ...all, states, order: 'permanent', until, limit: maxNamed } as const;
  const undecided = failed === 0 ? [] : await listGroups(db, page);
  return { depths: { open: pending + processing, failed, oldest }, undecided };
}
