import { type Html, html } from '../html.ts';
import { groupState, judgeNovelty, noveltyBadge } from '../parts/group-state.ts';
import { formatNumber } from '../parts/number.ts';
import type { Range } from '../parts/range.ts';
import { sparkline } from '../parts/sparkline.ts';
import { ago } from '../parts/time.ts';
import type { TopGroup } from './read-overview.ts';

const mostTypes = 3;

/** Why events failed: the error groups that did so most. */
export function topGroups(groups: readonly TopGroup[], range: Range, now: Date): Html {
  if (groups.length === 0) return html`<p class="muted">Nothing failed in ${range.words}.</p>`;
  return html`<table class="groups">
    <thead><tr><th>Why</th><th class="trend wide">Trend</th><th class="num">Failed</th><th class="num wide">Open</th><th class="num wide" title="Failed permanently: waiting for people">Given up</th><th class="num wide">Last seen</th></tr></thead>
    <tbody>${groups.map((group) => groupRow(group, range, now))}</tbody>
  </table>`;
}

function groupRow(group: TopGroup, range: Range, now: Date): Html {
  const title = group.title ?? 'a failure that has just been seen';
  return html`<tr data-row>
    <td><div class="clip"><a class="title" href="groups/${encodeURIComponent(group.fingerprint)}" title="${title}">${title}</a></div>
      <div class="muted small clip">${group.state !== 'OPEN' && html`${groupState(group.state)} · `}${noveltyBadge(judgeNovelty(group, range.since))}${listTypes(group.event_types)}</div></td>
    <td class="wide">${sparkline(fillSteps(group.trend ?? [], range), `${formatNumber(group.failures)} in ${range.words}`)}</td>
    <td class="num"><b>${formatNumber(group.failures)}</b></td>
    <td class="num wide">${orDash(group.open)}</td>
    <td class="num wide">${orDash(group.failed_permanently)}</td>
    <td class="num wide">${group.last_seen_at && ago(group.last_seen_at, now)}</td>
  </tr>`;
}

/** Steps in which nothing failed are not told; one in which several event types did is told for each. */
function fillSteps(trend: NonNullable<TopGroup['trend']>, { steps }: Range): number[] {
  const filled = new Array<number>(steps).fill(0);
  for (const [step, failures] of trend) filled[step] = (filled[step] ?? 0) + failures;
  return filled;
}

function listTypes(types: readonly string[]): string {
  const more = types.length - mostTypes;
  return types.slice(0, mostTypes).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function orDash(value: number | null): Html | string {
  return value ? formatNumber(value) : html`<span class="muted">–</span>`;
}
