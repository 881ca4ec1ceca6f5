import type { Database } from '../../shared/database.ts';
import { repeatBatches } from '../../shared/repeat-batches.ts';
import { statement } from '../../shared/sql.ts';

const forgetHours = statement<{ days: number; limit: number }, { readonly forgotten: number }>(
  'forget-hours',
);
const forgetGroups = statement<{ days: number; limit: number }, { readonly forgotten: number }>(
  'forget-groups',
);
const forgetTotals = statement<Record<string, never>, { readonly forgotten: number }>('forget-totals');

/** Hours are kept for so long, and error groups that nobody ever said anything about. */
const keptDays = 400;
const batchSize = 5000;

/** Forgets what was counted so long ago that nobody compares with it any more. What ever happened stays in the counters. */
export async function forgetCounts(db: Database): Promise<{ hours: number; groups: number; totals: number }> {
  const forget = (work: typeof forgetHours) =>
    repeatBatches(batchSize, async () => {
      const [result] = await work(db, { days: keptDays, limit: batchSize });
      return result?.forgotten ?? 0;
    });
  const hours = await forget(forgetHours);
  const groups = await forget(forgetGroups);
  const [totals] = await forgetTotals(db, {});
  return { hours, groups, totals: totals?.forgotten ?? 0 };
}
