import { type Content, type Html, html } from '../html.ts';
import { formatNumber } from './format.ts';

type GroupTitle = { readonly fingerprint: string; readonly title: string | null; readonly details: Content };

/** The title of an error group as a link, with details below it. */
export function groupCell({ fingerprint, title: known, details }: GroupTitle): Html {
  const title = known ?? 'a new error';
  return html`<td><div class="truncate"><a class="title" href="groups/${encodeURIComponent(fingerprint)}" title="${title}">${title}</a></div>
    <div class="muted small truncate">${details}</div></td>`;
}

/** A count that narrow screens hide, or a dash for none. */
export function countCell(value: number | null): Html {
  return html`<td class="num wide-only">${value ? formatNumber(value) : html`<span class="muted">–</span>`}</td>`;
}

/** The headings of the counts of open and permanently failed events. */
export const countHeadings = html`<th class="num wide-only">Open</th><th class="num wide-only" title="Failed permanently: needs review">Permanent</th>`;

/** Marks a group as `new` or `growing`. */
export function noveltyBadge(novelty: string | null): Html | false {
  return novelty !== null && html`<span class="badge">${novelty}</span>`;
}
