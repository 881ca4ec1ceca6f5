import { formatNumber } from '../../../shared/count-of.ts';
import type { Group, GroupState } from '../../../shared/groups/error-groups.ts';
import { type Content, type Html, html } from '../html.ts';
import { errorName, errorOrigin } from './error-name.ts';
import { groupPath } from './links.ts';
import { mark, status } from './marks.ts';
import type { Column } from './table.ts';

type GroupTitle = {
  readonly fingerprint: string;
  readonly title: string | null;
  readonly causes: readonly string[] | null;
  readonly frame: string | null;
};

/** The title of an error group as a link, with its causes and details below it. */
export function groupCell(group: GroupTitle, details: Content): Html {
  const origin = errorOrigin(group);
  return html`<div class="error-title">${groupLink(group)}</div>
    ${origin && html`<div class="muted small truncate">${origin}</div>`}
    <div class="muted small truncate">${details}</div>`;
}

/** The title of an error group as a link. */
export function groupLink({ fingerprint, title }: Pick<GroupTitle, 'fingerprint' | 'title'>): Html {
  return html`<a class="title plain-title" href="${groupPath(fingerprint)}" title="${title}">${errorName(title)}</a>`;
}

type Counts = { readonly open: number | null; readonly failedPermanently: number | null };

/** Whether no event of a group is left to deliver or to decide about. */
export function isFinished({ open, failedPermanently }: Counts): boolean {
  return !open && !failedPermanently;
}

/** The state of a group; of one without events that are left: finished. */
export function groupState(group: Counts & { readonly state: GroupState }): Html {
  const isLeft = group.state !== 'OPEN' || !isFinished(group);
  return isLeft ? status(group.state) : mark('succeeded', 'good', 'finished');
}

/** The columns of the open and the permanently failed events of a group: the ones by which to decide. */
export const countColumns: readonly [open: Column<Counts>, permanent: Column<Counts>] = [
  ['Open', 'num', ({ open }) => countOrDash(open)],
  [
    html`<span title="Failed permanently: needs review">Permanent</span>`,
    'num',
    ({ failedPermanently }) => countOrDash(failedPermanently),
  ],
];

function countOrDash(value: number | null): Content {
  return value ? formatNumber(value) : html`<span class="muted">–</span>`;
}

/** Event types that are named. */
const maxTypes = 3;

/** The event types of a group, the first ones by name. */
export function nameTypes({
  eventTypes,
  eventTypeCount,
}: Pick<Group, 'eventTypes' | 'eventTypeCount'>): string {
  const named = eventTypes.slice(0, maxTypes).map(({ eventType }) => eventType);
  const more = eventTypeCount - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Marks a group as `new` or `growing`. The state of a regressed group says so already. */
export function noveltyBadge({ state, novelty }: Pick<Group, 'state' | 'novelty'>): Html | false {
  return state !== 'REGRESSED' && novelty !== null && html`<span class="badge">${novelty}</span>`;
}
