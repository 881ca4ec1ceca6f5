import { countOf, formatNumber } from '../../../shared/count-of.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import type { Reach } from '../../../shared/events/list-events.ts';
import { moment } from '../components/format.ts';
import { type Content, type Html, html } from '../html.ts';
import type { Reading } from './read-events.ts';
import { type SearchScope, searchLink } from './search.ts';

/** What the requests of one search read and found until now, and the number of all events if it is known. */
export type Progress = {
  readonly read: number | undefined;
  readonly found: number;
  readonly total?: number | undefined;
};

/** The progress of the requests before this one, in `?read=&found=`. */
export function readProgress(query: URLSearchParams): Progress {
  const numberIn = (name: string) => Number(/^\d{1,12}$/.exec(query.get(name) ?? '')?.[0] ?? 0);
  const isCounted = !query.has('before') || query.has('read');
  return { read: isCounted ? numberIn('read') : undefined, found: numberIn('found') };
}

/** The progress with what one more request read. */
export function addReading({ read, found }: Progress, reading: Reading): Progress {
  const isCounted = read !== undefined && reading.read !== undefined;
  return { read: isCounted ? read + reading.read : undefined, found: found + reading.rows.length };
}

type Shown = {
  readonly text: string;
  readonly scope: SearchScope;
  readonly filter: Filter;
  /** Links to other places, for a search that has read all. */
  readonly elsewhere: Content;
};

/**
 * How far a search has read, with the link that goes on from there. The script follows the link by itself, and
 * stops when asked to or with a page of events.
 */
export function readingSection(progress: Progress, reach: Reach | undefined, shown: Shown): Html {
  const content = reach ? unfinished(progress, reach, shown) : finished(progress, shown);
  return html`<div class="reading" id="reading">${content}</div>`;
}

function unfinished(progress: Progress, reach: Reach, shown: Shown): Html {
  const { read, found, total } = progress;
  const back = html`back to ${moment(timeOf(reach))}`;
  const all = total === undefined ? undefined : Math.max(total, read ?? 0);
  const count = `${formatNumber(read ?? 0)}${all === undefined ? '' : ` of ${formatNumber(all)}`}`;
  const state = html`Read ${read !== undefined && `${count} events, `}${back}.`;
  return html`<p class="count" role="status">${countOf(found, 'event')} so far <span class="muted">${state}</span></p>
    <progress max="${all ?? 1}"${read !== undefined && all !== undefined && html` value="${read}"`} aria-label="Events read"></progress>
    <a class="button" rel="next" href="${goOnLink(progress, reach, shown)}">Go on</a>
    <button type="button" data-stop hidden>Stop</button>`;
}

function finished({ found, total }: Progress, { filter, elsewhere }: Shown): Html {
  const all =
    total === undefined || total === 1 ? 'Every event was' : `All ${formatNumber(total)} events were`;
  const parts = filter.anywhere && ': type, error, ids, headers and payload';
  const fewer = filter.text && ': type, error and ids, not headers and payload';
  const read = html`${all} read${parts || fewer}.`;
  if (found > 0)
    return html`<p class="count" role="status">${countOf(found, 'event')} <span class="muted">${read}</span></p>`;
  return html`<div class="empty" role="status"><h2>No event matches</h2><p>${read}</p>${elsewhere}</div>`;
}

function goOnLink({ read, found }: Progress, reach: Reach, { text, scope }: Shown): string {
  const link = searchLink(text, scope, reach);
  return `${link}&${new URLSearchParams({ ...(read !== undefined && { read: `${read}` }), found: `${found}` })}`;
}

/** The time of an event by which its list is sorted. */
function timeOf({ time, createdAt }: Reach): Date {
  return new Date(time === null ? createdAt : Number(time) / 1000);
}
