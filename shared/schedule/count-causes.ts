import type { Database } from '../database/database.ts';
import { type FailingCause, listCauses, type OpenCause } from './causes.ts';
import { countLanes, type Lane, listLanes, maxCounted } from './lanes.ts';

/** Lists the causes that fail by themselves, with the events that wait for them. */
export async function listFailingCauses(db: Database): Promise<readonly FailingCause[]> {
  const open = await listCauses(db, {});
  if (open.length === 0) return [];
  const known = new Set(open.map(({ cause }) => cause));
  const lanes = (await listLanes(db)).filter(({ cause }) => cause !== null && known.has(cause));
  return sumCauses(open, await countLanes(db, lanes));
}

/** Sums the events that wait for each cause, of lanes that are counted; those without any are omitted. */
export function sumCauses(open: readonly OpenCause[], lanes: readonly Lane[]) {
  const byCause = Map.groupBy(lanes, ({ cause }) => cause);
  return open.flatMap((each) => {
    const own = byCause.get(each.cause) ?? [];
    const waiting = own.reduce((sum, { events = 0 }) => sum + Math.min(events, maxCounted), 0);
    return waiting === 0 ? [] : [{ ...each, waiting }];
  });
}
