import { readStates } from '../../../shared/delivery/read-states.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { listOpenRuns } from '../../../shared/replay/list-runs.ts';
import { forecast } from '../../../shared/schedule/forecast.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { listTicks } from '../../../shared/schedule/ticks.ts';
import { listKnownTargets } from '../../../shared/targets/target-names.ts';
import type { ConsoleDeps } from '../page.ts';
import { expectNextTick } from '../runs/tick-page.ts';

const maxRuns = 5;

/** Reads how far schedule, replays and targets are, and the lanes that wait for them. */
export async function readProgress(deps: ConsoleDeps) {
  const { db, routes } = deps;
  const snapshot = await readSnapshot(deps);
  const { breakers, lanes, isWhole } = snapshot;
  const [next, targets, ticks, runs] = await Promise.all([
    forecast(deps, snapshot),
    readStates(db, listKnownTargets(routes, breakers), breakers),
    listTicks(db, { before: maxBigint, limit: 6 }),
    listOpenRuns(deps, { limit: maxRuns }),
  ]);
  return { lanes, isWhole, forecast: next, targets, ticks, runs, nextTick: expectNextTick(ticks) };
}
