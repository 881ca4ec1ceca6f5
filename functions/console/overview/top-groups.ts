import type { TopGroup } from '../../../shared/counts/overview.ts';
import { ago, formatNumber } from '../components/format.ts';
import { countColumns, groupCell, noveltyBadge } from '../components/group-cells.ts';
import { status } from '../components/marks.ts';
import type { Range } from '../components/range.ts';
import { sparkline } from '../components/sparkline.ts';
import { table } from '../components/table.ts';
import { type Content, type Html, html } from '../html.ts';

const maxTypes = 3;

/** The error groups with the most failures in a period. */
export function topGroups(groups: readonly TopGroup[], range: Range, now: Date): Html {
  if (groups.length === 0) return html`<p class="muted">Nothing failed in ${range.words}.</p>`;
  return table('groups', groups, [
    ['Error', '', (group) => groupCell(group, describe(group, range))],
    ['Trend', 'trend wide-only', (group) => showTrend(group, range)],
    ['Failed', 'num', ({ failures }) => html`<b>${formatNumber(failures)}</b>`],
    ...countColumns,
    ['Last seen', 'num wide-only', ({ lastSeenAt }) => lastSeenAt && ago(lastSeenAt, now)],
  ]);
}

function describe(group: TopGroup, range: Range): Content {
  const { state, eventTypes } = group;
  const novelty = noveltyBadge(judgeNovelty(group, range.since));
  return html`${state !== 'OPEN' && html`${status(state)} · `}${novelty}${listTypes(eventTypes)}`;
}

/** Whether a group is new in the period, or failed at least twice as often as in the period before. */
function judgeNovelty({ firstSeenAt, failures, failuresBefore }: TopGroup, since: Date) {
  if (firstSeenAt && firstSeenAt >= since) return 'new';
  return failures >= 10 && failures >= 2 * failuresBefore ? 'growing' : null;
}

/** A trend is sparse: steps without failures are omitted, and a step has one entry per event type. */
function showTrend({ trend, failures: total }: TopGroup, { steps, words }: Range): Html {
  const filled = new Array<number>(steps).fill(0);
  for (const [step, failures] of trend ?? []) filled[step] = (filled[step] ?? 0) + failures;
  return sparkline(filled, `${formatNumber(total)} in ${words}`);
}

function listTypes(types: readonly string[]): string {
  const more = types.length - maxTypes;
  return types.slice(0, maxTypes).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
