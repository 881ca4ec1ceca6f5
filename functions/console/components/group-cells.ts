import { type Content, type Html, html } from '../html.ts';
import { formatNumber } from './format.ts';
import type { Column } from './table.ts';

type GroupTitle = { readonly fingerprint: string; readonly title: string | null };

/** The title of an error group as a link, with details below it. */
export function groupCell({ fingerprint, title: known }: GroupTitle, details: Content): Html {
  const title = known ?? 'a new error';
  return html`<div class="truncate"><a class="title" href="groups/${encodeURIComponent(fingerprint)}" title="${title}">${title}</a></div>
    <div class="muted small truncate">${details}</div>`;
}

type Counts = { readonly open: number | null; readonly failedPermanently: number | null };

/** The columns of the open and the permanently failed events of a group, which narrow screens hide. */
export const countColumns: readonly Column<Counts>[] = [
  ['Open', 'num wide-only', ({ open }) => countOrDash(open)],
  [
    html`<span title="Failed permanently: needs review">Permanent</span>`,
    'num wide-only',
    ({ failedPermanently }) => countOrDash(failedPermanently),
  ],
];

function countOrDash(value: number | null): Content {
  return value ? formatNumber(value) : html`<span class="muted">–</span>`;
}

/** Marks a group as `new` or `growing`. */
export function noveltyBadge(novelty: string | null): Html | false {
  return novelty !== null && html`<span class="badge">${novelty}</span>`;
}
