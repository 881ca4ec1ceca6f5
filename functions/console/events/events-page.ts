import { TooCostlyError } from '../../../shared/errors.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { freezeFilter } from '../../../shared/events/filter/freeze-filter.ts';
import { findOrder } from '../../../shared/events/filter/page-position.ts';
import { runWithinCost } from '../../../shared/events/filter/run-within-cost.ts';
import { countEvents, listArchivedEvents, listEvents } from '../../../shared/events/list-events.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import { countOf } from '../components/format.ts';
import { pager } from '../components/links.ts';
import { type Html, html } from '../html.ts';
import type { Answer, ConsoleDeps, PageContext } from '../page.ts';
import { eventTable } from './event-table.ts';
import { filterForm } from './filter-form.ts';
import { readPosition, readSearch, type SearchScope, searchLink } from './search.ts';
import { searchForm, statusTabs } from './search-form.ts';
import { selectionForm } from './selection.ts';

const pageSize = 50;
const maxCounted = 10_000;

/** `GET /events?q=&before=`, `GET /events/archive?q=&before=`: one page of the events that match a filter. */
export function eventsPage(scope: SearchScope): Answer {
  const heading = scope === 'events' ? 'Events' : 'Archive';
  return async (deps, context) => {
    const search = readSearch(context.query);
    const { filter, text } = search;
    const query = filter && { filter: freezeFilter(filter, context.now), text, scope };
    const main = html`<h1 class="visually-hidden">${heading}</h1>
    ${searchForm(search, scope)}
    ${filter && html`<div class="filter-more">${statusTabs(filter, scope)}${scope === 'events' && filterForm(filter)}</div>`}
    ${query && (await withinCost(() => listMatches(deps, context, query)))}`;
    const title = `${heading} ${text}`.trim();
    return { title, tab: 'events', hasSearch: true, main, ...(search.problems && { status: 400 }) };
  };
}

/** A valid search, frozen so that the list and the count see the same period. */
type Query = { readonly filter: Filter; readonly text: string; readonly scope: SearchScope };

async function listMatches(deps: ConsoleDeps, context: PageContext, of: Query): Promise<Html> {
  const { db, costLimit } = deps;
  const { query, caller, now } = context;
  const { filter, text, scope } = of;
  await guardProbes(deps, caller, { filter });
  const isArchive = scope === 'events/archive';
  // One event more than a page shows whether there is a next page.
  const params = { ...readPosition(query), max: pageSize + 1 };
  const [rows, [count]] = await Promise.all([
    runWithinCost(db, isArchive ? listArchivedEvents : listEvents, { filter, params, costLimit }),
    isArchive ? [] : runWithinCost(db, countEvents, { filter, params: { max: maxCounted + 1 }, costLimit }),
  ]);
  const events = rows.slice(0, pageSize);
  if (events.length === 0) return isArchive ? noArchivedMatches : text === '' ? noEvents : noMatches;
  const isSelectable = !isArchive && caller.isOperator;
  const table = eventTable(events, { now, isSelectable, isByFailure: findOrder(filter) === 'failure' });
  const counted = count?.events ?? 0;
  const matches = { events: Math.min(counted, maxCounted), isAll: counted <= maxCounted };
  const next = rows.length > pageSize && searchLink(text, scope, events.at(-1));
  return html`${isArchive ? archiveNote : html`<p class="count" role="status">${countOf(matches.events, 'event')}${!matches.isAll && ' and more'}</p>`}
    ${isSelectable ? selectionForm(text, matches, table) : table}
    ${pager(next, query.has('before') && searchLink(text, scope))}`;
}

const archiveNote = html`<p class="muted">Archived events are read-only. Open an event to restore it.</p>`;

const noEvents = html`<div class="empty"><h2>No event has been captured yet</h2>
  <p>Send a failed message to the capture function: <code>POST /capture</code> with <code>{"eventType", "payload", "error"}</code>.
  Each one becomes an event here.</p></div>`;

const noMatches = html`<div class="empty"><h2>No event matches</h2><p>Remove a condition, or <a href="events">see all events</a>.</p></div>`;

const noArchivedMatches = html`<div class="empty"><h2>No archived event matches</h2>
  <p>Closed events move to the archive after <code>ARCHIVE_AFTER_DAYS</code>. It is partitioned by month.</p></div>`;

/** The result of a search, or advice how to narrow it if it would cost too much. */
async function withinCost(search: () => Promise<Html>): Promise<Html> {
  try {
    return await search();
  } catch (error) {
    if (!(error instanceof TooCostlyError)) throw error;
    return html`<p class="problems" role="alert">${error.message}</p>`;
  }
}
