import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { isGuessed } from '../../../shared/events/filter/filter-fields.ts';
import { printPosition } from '../../../shared/events/filter/page-position.ts';
import { isCheap } from '../../../shared/events/filter/run-within-cost.ts';
import { type ListedEvent, listEvents, type SearchEnd } from '../../../shared/events/list-events.ts';
import { behind, readPart, type Walk } from '../../../shared/events/read-part.ts';
import { moment } from '../components/format.ts';
import { link } from '../components/links.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps } from '../page.ts';
import type { Asked } from './search.ts';

/** Events that are found by one request. */
export const pageSize = 50;

/** The time of a request unless the console has another one, and of one statement of it, in ms. */
const maxMs = 700;
const statementMs = 150;
const sizes = { first: 1000, max: 1_000_000 };

/**
 * A page of matches, with one more if there is a next page. If the time was over before it was full: how many
 * events were compared, and the last of them.
 */
export type Reading = {
  readonly rows: readonly ListedEvent[];
  readonly read?: number;
  readonly end?: SearchEnd;
};

/**
 * Finds a page of events in the latest, or at once if all that match cost little. Else reads one part of the
 * events after the other, the latest first, and compares each with the filter, until a page is found or the
 * time is over. A part is as long as the speed of the part before allows.
 */
export async function readEvents(deps: ConsoleDeps, walk: Walk): Promise<Reading> {
  const { db, costLimit, readMs = maxMs } = deps;
  const { filter, isArchived } = walk;
  const began = performance.now();
  let { position } = walk;
  const all = { ...position, isArchived, max: pageSize + 1, readsAll: true };
  const rows: ListedEvent[] = [];
  let read = 0;
  for (let size = sizes.first; ; ) {
    const startedAt = performance.now();
    const part = await readPart(db, { ...walk, position }, { size, max: pageSize + 1 });
    rows.push(...part.rows);
    if (rows.length > pageSize || !part.end) return { rows: rows.slice(0, pageSize + 1) };
    const estimate = read === 0 && !isGuessed(filter) && (await listEvents.explain(db, filter, all));
    if (estimate && isCheap(estimate, costLimit)) return { rows: await listEvents(db, filter, all) };
    read += size;
    position = behind(part.end);
    const now = performance.now();
    if (now - began > readMs - statementMs) return { rows, read, end: part.end };
    const scaled = (size * statementMs) / Math.max(1, now - startedAt);
    size = Math.round(Math.min(sizes.max, Math.max(100, Math.min(scaled, size * 8))));
  }
}

type Progress = {
  /** Unknown of a full page: the events up to the last one that is shown were not counted. */
  readonly read: number | undefined;
  readonly found: number;
  readonly total?: number | undefined;
};

/** The progress of the requests before this one, in `?read=&found=`, with what this one read. */
export function addReading(query: URLSearchParams, { rows, read }: Reading): Progress {
  const numberIn = (name: string) => Number(/^\d{1,12}$/.exec(query.get(name) ?? '')?.[0] ?? 0);
  const isCounted = read !== undefined && (!query.has('before') || query.has('read'));
  return { read: isCounted ? numberIn('read') + read : undefined, found: numberIn('found') + rows.length };
}

/** How far a search has read, with the link that goes on; the script follows it up to a full page. */
export function unfinished({ read, found, total }: Progress, end: SearchEnd, { text, scope }: Asked): Html {
  const back = html`back to ${moment(new Date(end.time === null ? end.createdAt : Number(end.time) / 1000))}`;
  const all = total === undefined ? undefined : Math.max(total, read ?? 0);
  const count = `${formatNumber(read ?? 0)}${all === undefined ? '' : ` of ${formatNumber(all)}`}`;
  const state = html`Read ${read !== undefined && `${count} events, `}${back}.`;
  const before = printPosition(end);
  const next = link(scope, { q: text, before, read: read?.toString(), found: found.toString() });
  return html`<p class="count" role="status">${countOf(found, 'event')} so far <span class="muted">${state}</span></p>
    <progress max="${all ?? 1}"${read !== undefined && all !== undefined && html` value="${read}"`} aria-label="Events read"></progress>
    <a class="button" rel="next" href="${next}">Go on</a>
    <button type="button" data-stop hidden>Stop</button>`;
}

/** That a search has read every event, with links to where it did not look. */
export function finished({ found, total }: Progress, { filter }: Asked, elsewhere: Content): Html {
  const all =
    total === undefined || total === 1 ? 'Every event was' : `All ${formatNumber(total)} events were`;
  const parts = filter.anywhere && ': type, error, ids, headers and payload';
  const fewer = filter.text && ': type, error and ids, not headers and payload';
  const read = html`${all} read${parts || fewer}.`;
  if (found > 0)
    return html`<p class="count" role="status">${countOf(found, 'event')} <span class="muted">${read}</span></p>`;
  return html`<div class="empty" role="status"><h2>No event matches</h2><p>${read}</p>${elsewhere}</div>`;
}
