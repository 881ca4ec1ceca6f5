import { countOf, formatNumber } from '../../../shared/count-of.ts';
import type { Reach } from '../../../shared/events/list-events.ts';
import { moment } from '../components/format.ts';
import { type Html, html } from '../html.ts';
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

type Shown = { readonly text: string; readonly scope: SearchScope; readonly by: string };

/**
 * How far a search has read, with the link that goes on from there. The script follows the link by itself, and
 * stops when asked to or with a page of events.
 */
export function readingSection(progress: Progress, reach: Reach | undefined, shown: Shown): Html {
  const { read, found, total } = progress;
  const size = total === undefined ? '' : ` of ${formatNumber(Math.max(total, read ?? 0))}`;
  const back = reach && html`back to ${moment(timeOf(reach))}`;
  const state = reach
    ? html`${countOf(found, 'event')} so far${read === undefined ? html`, ${back}` : html`. Read ${formatNumber(read)}${size} events, ${back}`}`
    : html`${found === 0 ? 'No event matches' : countOf(found, 'event')}. Every event was read`;
  return html`<div class="reading" id="reading" data-reading="${found}">
    <p class="count" role="status">${state}${shown.by && html` (${shown.by})`}.</p>
    ${
      reach &&
      html`<progress max="${total ?? 1}"${read !== undefined && total !== undefined && html` value="${read}"`} aria-label="Events read"></progress>
    <a class="button" rel="next" href="${goOnLink(progress, reach, shown)}">Go on</a>
    <button type="button" data-stop hidden>Stop</button>`
    }</div>`;
}

function goOnLink({ read, found }: Progress, reach: Reach, { text, scope }: Shown): string {
  const link = searchLink(text, scope, reach);
  return `${link}&${new URLSearchParams({ ...(read !== undefined && { read: `${read}` }), found: `${found}` })}`;
}

/** The time of an event by which its list is sorted. */
function timeOf({ time, createdAt }: Reach): Date {
  return new Date(time === null ? createdAt : Number(time) / 1000);
}
