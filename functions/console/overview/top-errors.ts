import { countOf, formatNumber } from '../../../shared/count-of.ts';
import type { Period } from '../../../shared/counts/periods.ts';
import { listTopGroups, type Step, sumUp } from '../../../shared/counts/sum-steps.ts';
import type { Database } from '../../../shared/database/database.ts';
import { type Group, readGroups } from '../../../shared/groups/error-groups.ts';
import { sparkline } from '../components/chart.ts';
import { ago } from '../components/format.ts';
import { countColumns, groupCell, isFinished, noveltyBadge } from '../components/group-cells.ts';
import { status } from '../components/marks.ts';
import type { Range } from '../components/range.ts';
import { collapsible, section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { type Content, type Html, html } from '../html.ts';

const maxGroups = 20;

/** The error groups with most failures in a period. */
export async function readTopGroups(db: Database, range: Period, now: Date): Promise<TopGroup[]> {
  const top = await listTopGroups(db, range, maxGroups);
  const steps = new Map(top.map((group) => [group.fingerprint, group.steps]));
  const groups = await readGroups(db, { fingerprints: [...steps.keys()], until: now });
  return groups.map((group) => ({ ...group, steps: steps.get(group.fingerprint) ?? [] }));
}

/** An error group with its failures in a period. */
export type TopGroup = Group & { readonly steps: readonly Step[] };

const maxTypes = 3;

/** The error groups of a period, those that need a person first; those that are finished are folded. */
export function topErrors(groups: readonly TopGroup[], range: Range, now: Date): Html {
  return section(
    `Errors ${range.phrase}`,
    listErrors(groups, range, now),
    html`<a href="groups">All errors</a>`,
  );
}

function listErrors(groups: readonly TopGroup[], range: Range, now: Date): Html {
  if (groups.length === 0) return html`<p class="muted">Nothing failed ${range.phrase}.</p>`;
  const [finished, unfinished] = [groups.filter(isFinished), groups.filter((group) => !isFinished(group))];
  const sorted = unfinished.toSorted((a, b) => b.failedPermanently - a.failedPermanently || b.open - a.open);
  const list = (of: readonly TopGroup[]) =>
    table('groups', of, [
      ['Error', '', (group) => groupCell(group, describe(group))],
      ['Trend', 'trend wide-only', (group) => showTrend(group, range)],
      ['Failed', 'num wide-only', ({ steps }) => formatNumber(sumUp(steps, 'failures'))],
      ...countColumns,
      ['Last seen', 'num wide-only', ({ lastSeenAt }) => ago(lastSeenAt, now)],
    ]);
  return html`${sorted.length > 0 ? list(sorted) : html`<p class="muted">Every error ${range.phrase} is finished.</p>`}
    ${finished.length > 0 && collapsible(`${countOf(finished.length, 'finished error')}: no event of it is left`, list(finished))}`;
}

function describe({ state, novelty, eventTypes }: TopGroup): Content {
  // The state of a regressed group says so already.
  const badge = noveltyBadge(state === 'REGRESSED' ? null : novelty);
  return html`${state !== 'OPEN' && html`${status(state)} · `}${badge}${listTypes(eventTypes)}`;
}

/** The failures of a period by its steps, which are sparse, or of the last day: a few hours show no trend. */
function showTrend({ steps, trend, failuresIn24Hours }: TopGroup, range: Range): Html {
  if (range.steps < 24) return sparkline(trend, `${formatNumber(failuresIn24Hours)} in 24 hours`);
  const filled = new Array<number>(range.steps).fill(0);
  for (const { step, failures } of steps) filled[step] = failures;
  return sparkline(filled, `${formatNumber(sumUp(steps, 'failures'))} ${range.phrase}`);
}

function listTypes(types: Group['eventTypes']): string {
  const more = types.length - maxTypes;
  const named = types.slice(0, maxTypes).map(({ eventType }) => eventType);
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
