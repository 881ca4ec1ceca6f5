import type { TopGroup } from '../../../shared/counts/overview.ts';
import { ago, formatNumber } from '../components/format.ts';
import { countCell, countHeadings, groupCell, noveltyBadge } from '../components/group-cells.ts';
import { status } from '../components/marks.ts';
import type { Range } from '../components/range.ts';
import { sparkline } from '../components/sparkline.ts';
import { type Html, html } from '../html.ts';

const maxTypes = 3;

/** The error groups with the most failures in a period. */
export function topGroups(groups: readonly TopGroup[], range: Range, now: Date): Html {
  if (groups.length === 0) return html`<p class="muted">Nothing failed in ${range.words}.</p>`;
  return html`<table class="groups">
    <thead><tr><th>Error</th><th class="trend wide-only">Trend</th><th class="num">Failed</th>${countHeadings}<th class="num wide-only">Last seen</th></tr></thead>
    <tbody>${groups.map((group) => groupRow(group, range, now))}</tbody>
  </table>`;
}

function groupRow(group: TopGroup, range: Range, now: Date): Html {
  const { fingerprint, title, state } = group;
  const novelty = noveltyBadge(judgeNovelty(group, range.since));
  const details = html`${state !== 'OPEN' && html`${status(state)} · `}${novelty}${listTypes(group.eventTypes)}`;
  return html`<tr data-row>
    ${groupCell({ fingerprint, title, details })}
    <td class="wide-only">${sparkline(fillSteps(group.trend ?? [], range), `${formatNumber(group.failures)} in ${range.words}`)}</td>
    <td class="num"><b>${formatNumber(group.failures)}</b></td>
    ${countCell(group.open)}${countCell(group.failedPermanently)}
    <td class="num wide-only">${group.lastSeenAt && ago(group.lastSeenAt, now)}</td>
  </tr>`;
}

/** Whether a group is new in the period, or failed at least twice as often as in the period before. */
function judgeNovelty({ firstSeenAt, failures, failuresBefore }: TopGroup, since: Date) {
  if (firstSeenAt && firstSeenAt >= since) return 'new';
  return failures >= 10 && failures >= 2 * failuresBefore ? 'growing' : null;
}

/** A trend is sparse: steps without failures are omitted, and a step has one entry per event type. */
function fillSteps(trend: NonNullable<TopGroup['trend']>, { steps }: Range): number[] {
  const filled = new Array<number>(steps).fill(0);
  for (const [step, failures] of trend) filled[step] = (filled[step] ?? 0) + failures;
  return filled;
}

function listTypes(types: readonly string[]): string {
  const more = types.length - maxTypes;
  return types.slice(0, maxTypes).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
