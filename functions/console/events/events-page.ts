import { type ListedEvent, listEvents } from '../../../shared/event-pages.ts';
import type { Filter } from '../../../shared/filter/filter-schema.ts';
import { freezeFilter } from '../../../shared/filter/freeze-filter.ts';
import { runWithinCost } from '../../../shared/filter/run-within-cost.ts';
import { findOrder } from '../../../shared/latest-first.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../layout.ts';
import { countOf } from '../parts/number.ts';
import type { Visit } from '../visit.ts';
import { countEvents } from './count-events.ts';
import { eventTable } from './event-table.ts';
import { filterForm } from './filter-form.ts';
import { findWithinCost } from './find-within-cost.ts';
import { readPosition, readSearch, type Search, searchLink } from './search.ts';
import { searchForm, statusTabs } from './search-form.ts';
import { type Matches, selectionForm } from './selection-bar.ts';

const pageSize = 50;
const mostCounted = 10_000;

/** `GET /events?q=&before=`: the events that a filter means, a page of them, and how many there are. */
export async function eventsPage(deps: ConsoleDeps, visit: Visit): Promise<Page> {
  const search = readSearch(visit.query);
  const { filter } = search;
  const found = filter && (await findWithinCost(() => find(deps, filter, visit)));
  const main = html`<h1 class="unseen">Events</h1>
    ${searchForm(search)}
    ${filter && html`<div class="filter-more">${statusTabs(filter)}${filterForm(filter)}</div>`}
    ${found && ('tooCostly' in found ? found.tooCostly : showFound(search, found, visit))}`;
  return {
    title: search.text || 'Events',
    tab: 'events',
    hasSearch: true,
    main,
    ...(search.problems && { status: 400 }),
  };
}

type Found = {
  readonly events: readonly ListedEvent[];
  readonly matches: Matches;
  readonly isLast: boolean;
};

async function find({ db, costLimit }: ConsoleDeps, asked: Filter, visit: Visit): Promise<Found> {
  const position = readPosition(visit.query);
  // So that the page and the count look at the same period.
  const filter = freezeFilter(asked, visit.now);
  const [events, [count]] = await Promise.all([
    runWithinCost(db, listEvents, { filter, params: { ...position, most: pageSize + 1 }, costLimit }),
    runWithinCost(db, countEvents, { filter, params: { most: mostCounted + 1 }, costLimit }),
  ]);
  const counted = count?.events ?? 0;
  return {
    events: events.slice(0, pageSize),
    matches: { events: Math.min(counted, mostCounted), isAll: counted <= mostCounted },
    isLast: events.length <= pageSize,
  };
}

function showFound({ text, filter = {} }: Search, { events, matches, isLast }: Found, visit: Visit): Html {
  if (events.length === 0) return nothingFound(text);
  const isByFailure = findOrder(filter) === 'failure';
  const rows = eventTable(events, { now: visit.now, isSelectable: visit.caller.isOperator, isByFailure });
  const count = `${countOf(matches.events, 'event')}${matches.isAll ? '' : ' and more'}`;
  return html`<p class="count" role="status">${count}</p>
    ${visit.caller.isOperator ? selectionForm(text, matches, rows) : rows}
    <nav class="pager" aria-label="Pages of events">
      ${visit.query.has('before') && html`<a href="${searchLink(text)}">Newest</a>`}
      ${!isLast && html`<a href="${searchLink(text, 'events', events.at(-1))}" rel="next">Older</a>`}
    </nav>`;
}

function nothingFound(text: string): Html {
  if (text === '') {
    return html`<div class="empty"><h2>No event has been captured yet</h2>
      <p>Send a failed message to the capture function: <code>POST /capture</code> with <code>{"eventType", "payload", "error"}</code>.
      Each one becomes an event here.</p></div>`;
  }
  return html`<div class="empty"><h2>No event matches</h2><p>Take a condition away, or <a href="events">see all events</a>.</p></div>`;
}
