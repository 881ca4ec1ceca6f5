import type { Database } from '../database/database.ts';
import { type FailingCause, listCauses } from './causes.ts';
import { countLanes, maxCounted } from './count-waiting.ts';
import { type LaneCount, listLanes } from './lanes.ts';

type OpenCause = Awaited<ReturnType<typeof listCauses>>[number];

/** Lists the causes that fail by themselves, with the events that wait for them. */
export async function listFailingCauses(db: Database): Promise<readonly FailingCause[]> {
  const open = await listCauses(db, {});
  return open.length === 0 ? [] : countCauses(db, await listLanes(db, { max: 0 }), open);
}

/** Counts the events that wait for each cause that fails by itself; those without any are omitted. */
export async function countCauses(db: Database, lanes: readonly LaneCount[], open: readonly OpenCause[]) {
  const known = new Set(open.map(({ cause }) => cause));
  const failing = lanes.filter(({ cause }) => cause !== null && known.has(cause));
  if (failing.length === 0) return [];
  const counted = await countLanes(db, { lanes: failing.map(({ lane }) => lane), max: maxCounted });
  const events = new Map(counted.map(({ lane, events }) => [lane, events]));
  const byCause = Map.groupBy(failing, ({ cause }) => cause);
  return open.flatMap((each) => {
    const own = byCause.get(each.cause) ?? [];
    const waiting = own.reduce((sum, { lane }) => sum + (events.get(lane) ?? 0), 0);
    return waiting === 0 ? [] : [{ ...each, waiting }];
  });
}
