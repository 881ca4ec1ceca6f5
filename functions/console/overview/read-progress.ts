import { readStates } from '../../../shared/delivery/read-states.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import type { Group } from '../../../shared/groups/error-groups.ts';
import { listGroups } from '../../../shared/groups/list-groups.ts';
import { listOpenRuns } from '../../../shared/replay/list-runs.ts';
import { listBlockers } from '../../../shared/schedule/blockers.ts';
import { forecast } from '../../../shared/schedule/forecast.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { listTicks } from '../../../shared/schedule/ticks.ts';
import { listKnownTargets } from '../../../shared/targets/target-names.ts';
import type { ConsoleDeps } from '../page.ts';
import { expectNextTick } from '../runs/tick-page.ts';
import { readDepths } from './stats.ts';

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
  return { lanes, isWhole, forecast: next, targets, ticks, runs, blockers, nextTick: expectNextTick(ticks) };
}

/** The number of events in each status, and the errors with most permanent failures. */
async function readUndecided({ db }: ConsoleDeps, now: Date) {
  const depths = await readDepths(db);
  const states = ['OPEN', 'ACKNOWLEDGED', 'REGRESSED'] as const;
  const all = { afterKey: null, afterFingerprint: null, folded: [], words: [], owner: null };
  const undecided: readonly Group[] =
    depths.failed === 0
      ? []
      : await listGroups(db, { ...all, states, order: 'permanent', until: now, limit: maxNamed });
  return { depths, undecided };
}
