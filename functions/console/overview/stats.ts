import { formatNumber } from '../../../shared/count-of.ts';
import { sumDepths } from '../../../shared/counts/sum-depths.ts';
import { sumSteps, sumUp } from '../../../shared/counts/sum-steps.ts';
import type { Database } from '../../../shared/database/database.ts';
import { findOldestOpenEvent } from '../../../shared/events/find-events.ts';
import { stat } from '../components/facts.ts';
import { formatAgo } from '../components/format.ts';
import type { Range } from '../components/range.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';

/** The events that are open or failed permanently now, and the oldest open one. */
export async function readDepths(db: Database) {
  const [[depths], [oldest]] = await Promise.all([sumDepths(db, {}), findOldestOpenEvent(db, {})]);
  const { pending = 0, processing = 0, failedPermanently: failed = 0 } = depths ?? {};
  return { open: pending + processing, failed, oldest };
}

/** The failures of a period, and the deliveries of `hours`, which may be the same. */
export async function readFlow(db: Database, range: Range, hours: Range) {
  const read = async (of: Range) => ({ range: of, ...(await sumSteps(db, of)) });
  const [failed, delivered] = await Promise.all([read(range), range === hours ? undefined : read(hours)]);
  return { failed, delivered: delivered ?? failed };
}

/** Open events now, and failures and deliveries of a period. */
export function overviewStats(
  depths: Awaited<ReturnType<typeof readDepths>>,
  flow: Awaited<ReturnType<typeof readFlow>>,
  { countedSince, now }: { readonly countedSince: Date | undefined; readonly now: Date },
): Html {
  return html`<div class="stats">${depthStats(depths, now)}${flowStats(flow, countedSince)}</div>`;
}

function depthStats({ open, failed, oldest }: Awaited<ReturnType<typeof readDepths>>, now: Date): Html {
  const age = oldest ? formatAgo(oldest.createdAt, now).replace(' ago', '') : '–';
  const openNote = open > 0 ? 'pending a retry' : 'none pending';
  const failedNote = failed > 0 ? 'needs review' : 'none to review';
  const toFailed = {
    href: searchLink('status:FAILED_PERMANENTLY'),
    note: failedNote,
    tone: failed > 0 && ('bad' as const),
  };
  return html`${stat('Open', open, { href: searchLink('status:PENDING,PROCESSING'), note: openNote })}
    ${stat('Oldest open', age, { href: oldest && `events/${oldest.id}`, note: oldest?.eventType ?? 'none' })}
    ${stat('Failed permanently', failed, toFailed)}`;
}

/** Failures and deliveries in a period, compared with the one before if that was counted from its start. */
function flowStats(
  { failed, delivered }: Awaited<ReturnType<typeof readFlow>>,
  countedSince: Date | undefined,
): Html {
  const inPeriod = (label: string, of: 'failures' | 'deliveries', flow: typeof failed) => {
    const { range, steps, isExact } = flow;
    const now = sumUp(
      steps.filter(({ step }) => step >= 0),
      of,
    );
    const isComparable = flow.isComparable && countedSince !== undefined && countedSince <= range.before;
    const value = `${isExact ? '' : 'more than '}${formatNumber(now)}`;
    const note = isComparable ? compare(now, sumUp(steps, of) - now) : 'no comparison yet';
    return stat(`${label} ${range.phrase}`, value, { note });
  };
  return html`${inPeriod('Failed', 'failures', failed)}${inPeriod('Delivered', 'deliveries', delivered)}`;
}

function compare(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'none before' : 'none in the period before';
  const percent = Math.round((now / before - 1) * 100);
  if (percent === 0) return 'as many as before';
  if (percent > 900) return `${Math.round(now / before)} times as many as before`;
  return `${formatNumber(Math.abs(percent))} % ${percent > 0 ? 'more' : 'fewer'} than before`;
}
