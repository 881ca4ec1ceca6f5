import { countOf, formatNumber } from '../count-of.ts';
import { sumDepths } from '../counts/sum-depths.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { log } from '../log.ts';

type Week = {
  readonly failures: number;
  readonly deliveries: number;
  readonly permanentFailures: number;
  readonly oldestOpenAt: Date | null;
  readonly causes: readonly { readonly title: string; readonly failures: number }[];
  readonly decisions: Readonly<Record<string, number>>;
};

const summarizeWeek = statement<{ causes: number }, Week>('summarize-week');

/**
 * Logs what failed within the last seven days, the causes of most failures, what waits and what operators
 * did, as one line with `action: "digest"`. Its message is a text to send to people.
 */
export async function logDigest(db: Database): Promise<{ failures: number; open: number }> {
  const [week] = await summarizeWeek(db, { causes: 5 });
  const [depths] = await sumDepths(db, {});
  if (week === undefined || depths === undefined) throw new Error('A summary has one row.');
  const open = depths.pending + depths.processing;
  const digest = { ...week, open, undecided: depths.failedPermanently };
  log('INFO', describeWeek(digest), { action: 'digest', ...digest });
  return { failures: week.failures, open };
}

function describeWeek(week: Week & { readonly open: number; readonly undecided: number }): string {
  const causes = week.causes.map(({ failures, title }) => `- ${formatNumber(failures)} × ${title}`);
  const decisions = Object.entries(week.decisions).map(([action, times]) => `- ${times} × ${action}`);
  const since = week.oldestOpenAt ? `, the oldest since ${week.oldestOpenAt.toISOString().slice(0, 10)}` : '';
  return [
    `Last 7 days: ${countOf(week.failures, 'failure')}, ${formatNumber(week.deliveries)} delivered, ${formatNumber(week.permanentFailures)} failed permanently.`,
    `Now: ${formatNumber(week.open)} open${since}; ${countOf(week.undecided, 'failed permanently and waits', 'failed permanently and wait')} for a decision.`,
    ...(causes.length > 0 ? ['Most failures:', ...causes] : []),
    ...(decisions.length > 0 ? ['Actions of operators:', ...decisions] : ['No operator acted.']),
  ].join('\n');
}
