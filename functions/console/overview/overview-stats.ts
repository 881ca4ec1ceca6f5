import type { Overview, Step } from '../../../shared/counts/overview.ts';
import { stat } from '../components/facts.ts';
import { formatAgo, formatNumber } from '../components/format.ts';
import type { Range } from '../components/range.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';

/** Open and failed events now, and failures and deliveries in the period compared with the preceding one. */
export function overviewStats(
  { depths, oldest, steps, stepsBefore }: Overview,
  range: Range,
  now: Date,
): Html {
  const open = (depths?.pending ?? 0) + (depths?.processing ?? 0);
  const failed = depths?.failedPermanently ?? 0;
  const age = oldest ? formatAgo(oldest.createdAt, now).replace(' ago', '') : '–';
  const inPeriod = (label: string, of: 'failures' | 'deliveries') =>
    stat(`${label} in ${range.words}`, sum(steps, of), {
      note: compare(sum(steps, of), sum(stepsBefore, of)),
    });
  return html`<div class="stats">
    ${stat('Open', open, { href: searchLink('status:PENDING,PROCESSING'), note: open > 0 ? 'pending a retry' : 'none pending' })}
    ${stat('Oldest open', age, { href: oldest && `events/${oldest.id}`, note: oldest?.eventType ?? 'none' })}
    ${stat('Failed permanently', failed, { href: searchLink('status:FAILED_PERMANENTLY'), note: failed > 0 ? 'needs review' : 'none to review', isBad: failed > 0 })}
    ${inPeriod('Failed', 'failures')}${inPeriod('Delivered', 'deliveries')}
  </div>`;
}

function sum(steps: readonly Step[], of: 'failures' | 'deliveries'): number {
  return steps.reduce((total, step) => total + step[of], 0);
}

function compare(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'none before' : 'none in the period before';
  const percent = Math.round((now / before - 1) * 100);
  if (percent === 0) return 'as many as before';
  if (percent > 900) return `${Math.round(now / before)} times as many as before`;
  return `${formatNumber(Math.abs(percent))} % ${percent > 0 ? 'more' : 'fewer'} than before`;
}
