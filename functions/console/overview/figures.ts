import { searchLink } from '../events/search.ts';
import { type Content, type Html, html } from '../html.ts';
import type { Step } from '../parts/chart.ts';
import { formatNumber } from '../parts/number.ts';
import type { Range } from '../parts/range.ts';
import { formatAgo } from '../parts/time.ts';
import type { Overview } from './read-overview.ts';

/** The few numbers that say how things are. */
export function figures({ depths, oldest, steps, stepsBefore }: Overview, range: Range, now: Date): Html {
  const open = (depths?.pending ?? 0) + (depths?.processing ?? 0);
  const failed = depths?.failed_permanently ?? 0;
  const failures = sum(steps, 'failures');
  const deliveries = sum(steps, 'deliveries');
  return html`<div class="figures">
    ${figure('Open', formatNumber(open), { href: searchLink('status:PENDING,PROCESSING'), note: open > 0 ? 'waiting for a retry' : 'nothing is waiting' })}
    ${figure('Oldest open', oldest ? formatAgo(oldest.created_at, now).replace(' ago', '') : '–', { ...(oldest && { href: `events/${oldest.id}` }), note: oldest?.event_type ?? 'none' })}
    ${figure('Failed permanently', formatNumber(failed), { href: searchLink('status:FAILED_PERMANENTLY'), note: failed > 0 ? 'waiting for people' : 'nobody is needed', tone: failed > 0 && 'bad' })}
    ${figure(`Failed in ${range.words}`, formatNumber(failures), { note: compare(failures, sum(stepsBefore, 'failures')) })}
    ${figure(`Delivered in ${range.words}`, formatNumber(deliveries), { note: compare(deliveries, sum(stepsBefore, 'deliveries')) })}
  </div>`;
}

type More = { readonly href?: string; readonly note: string; readonly tone?: string | false };

function figure(label: string, value: string, { href, note, tone }: More): Html {
  const content: Content = html`<span class="muted small">${label}</span><span class="value ${tone}">${value}</span><span class="muted small clip">${note}</span>`;
  return href === undefined
    ? html`<div class="figure">${content}</div>`
    : html`<a class="figure" href="${href}">${content}</a>`;
}

function sum(steps: readonly Step[], of: 'failures' | 'deliveries'): number {
  return steps.reduce((total, step) => total + step[of], 0);
}

/** Against the same length of time before. */
function compare(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'none before' : 'none in the time before';
  const percent = Math.round((now / before - 1) * 100);
  if (percent === 0) return 'as many as before';
  if (percent > 900) return `${Math.round(now / before)} times as many as before`;
  return `${formatNumber(Math.abs(percent))} % ${percent > 0 ? 'more' : 'fewer'} than before`;
}
