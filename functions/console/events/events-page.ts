import { TooCostlyError } from '../../../shared/errors.ts';
import { type EventSummary, listEvents } from '../../../shared/event-pages.ts';
import type { Filter } from '../../../shared/filter/filter-schema.ts';
import { freezeFilter } from '../../../shared/filter/freeze-filter.ts';
import { runWithinCost } from '../../../shared/filter/run-within-cost.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../layout.ts';
import { countOf } from '../parts/number.ts';
import type { Visit } from '../visit.ts';
import { countEvents } from './count-events.ts';
import { eventTable } from './event-table.ts';
import { filterForm } from './filter-form.ts';
import { readSearch, type Search } from './search.ts';
import { searchForm, statusTabs } from './search-form.ts';
import { type Matches, selectionForm } from './selection-bar.ts';

const pageSize = 50;
const mostCounted = 10_000;
const newest = '9223372036854775807';

/** `GET /events?q=&before=`: the events that a filter means, a page of them, and how many there are. */
export async function eventsPage(deps: ConsoleDeps, visit: Visit): Promise<Page> {
  const search = readSearch(visit.query);
  const found = search.filter && (await findWithinCost(deps, search.filter, visit));
  const main = html`<h1 class="unseen">Events</h1>
    ${searchForm(search)}
    ${search.filter && html`<div class="filter-more">${statusTabs(search.filter)}${filterForm(search.filter)}</div>`}
    ${found && ('tooCostly' in found ? html`<p class="problems" role="alert">${found.tooCostly}</p>` : showFound(search, found, visit))}`;
  return {
    title: search.text || 'Events',
    tab: 'events',
    hasSearch: true,
    main,
    ...(search.problems && { status: 400 }),
  };
}

type Found = {
  readonly events: readonly EventSummary[];
  readonly matches: Matches;
  readonly isLast: boolean;
};

/** Says what to ask instead, beside what was asked. */
async function findWithinCost(
  deps: ConsoleDeps,
  filter: Filter,
  visit: Visit,
): Promise<Found | { readonly tooCostly: string }> {
  try {
    return await find(deps, filter, visit);
  } catch (error) {
    if (error instanceof TooCostlyError) return { tooCostly: error.message };
    throw error;
  }
}

async function find({ db, costLimit }: ConsoleDeps, asked: Filter, visit: Visit): Promise<Found> {
  const before = /^\d{1,18}$/.exec(visit.query.get('before') ?? '')?.[0] ?? newest;
  // So that the page and the count look at the same period.
  const filter = freezeFilter(asked, visit.now);
  const [events, [count]] = await Promise.all([
    runWithinCost(db, listEvents, { filter, params: { before, most: pageSize + 1 }, costLimit }),
    runWithinCost(db, countEvents, { filter, params: { most: mostCounted + 1 }, costLimit }),
  ]);
  const counted = count?.events ?? 0;
  return {
    events: events.slice(0, pageSize),
    matches: { events: Math.min(counted, mostCounted), isAll: counted <= mostCounted },
    isLast: events.length <= pageSize,
  };
}

function showFound({ text }: Search, { events, matches, isLast }: Found, visit: Visit): Html {
  if (events.length === 0) return nothingFound(text);
  const rows = eventTable(events, { now: visit.now, isSelectable: visit.caller.isOperator });
  const count = `${countOf(matches.events, 'event')}${matches.isAll ? '' : ' and more'}`;
  return html`<p class="count" role="status">${count}</p>
    ${visit.caller.isOperator ? selectionForm(text, matches, rows) : rows}
    <nav class="pager" aria-label="Pages of events">
      ${visit.query.has('before') && html`<a href="${pageLink(text)}">Newest</a>`}
      ${!isLast && html`<a href="${pageLink(text, events.at(-1)?.id)}" rel="next">Older</a>`}
    </nav>`;
}

function pageLink(text: string, before?: string): string {
  const query = new URLSearchParams({ ...(text && { q: text }), ...(before && { before }) });
  return query.size > 0 ? `events?${query}` : 'events';
}

function nothingFound(text: string): Html {
  if (text === '') {
    return html`<div class="empty"><h2>No event has been captured yet</h2>
      <p>Send a failed message to the capture function: <code>POST /capture</code> with <code>{"eventType", "payload", "error"}</code>.
      Each one becomes an event here.</p></div>`;
  }
  return html`<div class="empty"><h2>No event matches</h2><p>Take a condition away, or <a href="events">see all events</a>.</p></div>`;
}
