import { measureArchive } from '../../../shared/archive/archive.ts';
import { countOf } from '../../../shared/count-of.ts';
import { TooCostlyError } from '../../../shared/errors.ts';
import { freezeFilter } from '../../../shared/events/filter/filter-condition.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { includeMerged } from '../../../shared/events/filter/include-merged.ts';
import { findOrder } from '../../../shared/events/filter/page-position.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import type { Reach } from '../../../shared/events/list-events.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import { findGroupsByWords } from '../../../shared/groups/error-groups.ts';
import { listWhyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { moment } from '../components/format.ts';
import { pager } from '../components/links.ts';
import { type Html, html } from '../html.ts';
import type { Answer, ConsoleDeps, PageContext } from '../page.ts';
import { eventTable, type WhyById } from './event-table.ts';
import { filterChips } from './filter-chips.ts';
import { filterForm } from './filter-form.ts';
import { countMatches, type Found, findFirst, type Matches, pageSize } from './find-matches.ts';
import { handOver } from './hand-over.ts';
import { readSearch, type SearchScope, searchLink } from './search.ts';
import { searchForm, statusTabs } from './search-form.ts';
import { listPlaces, otherPlaces } from './search-places.ts';
import { selectionForm } from './selection.ts';

/** Archived events that are counted. */
const maxCounted = 10_000;

const dayMs = 86_400_000;

/** Errors whose events a search lists. */
const maxGroups = 20;

/** `GET /events?q=&before=`, `GET /events/archive?q=&before=`: one page of the events that match a filter. */
export function eventsPage(scope: SearchScope): Answer {
  const heading = scope === 'events' ? 'Events' : 'Archive';
  return async (deps, context) => {
    const search = readSearch(context.query);
    const { filter, text } = search;
    const query = filter && { filter, text, scope };
    const main = html`<h1 class="visually-hidden">${heading}</h1>
    ${await searchForm(deps, search, scope)}
    ${filter && html`<div class="filter-more">${statusTabs(filter, scope)}${filterChips(filter, scope)}${scope === 'events' && filterForm(filter)}</div>`}
    ${query && (await withinCost(() => listMatches(deps, context, query), query))}`;
    const title = `${heading} ${text}`.trim();
    return { title, tab: 'events', hasSearch: true, main, ...(search.problems && { status: 400 }) };
  };
}

/** A valid search. */
type Query = { readonly filter: Filter; readonly text: string; readonly scope: SearchScope };

async function listMatches(deps: ConsoleDeps, context: PageContext, of: Query): Promise<Html> {
  const { filter, text, scope } = of;
  await guardProbes(deps, context.caller, { filter });
  const isArchive = scope === 'events/archive';
  const places = isArchive ? ([{ name: '', filter }] as const) : listPlaces(filter, text);
  const looked = await findFirst(deps, context, { places, isArchive });
  const isUnlimited = places.length > 1;
  if (isUnlimited && looked.every(({ rows }) => rows.length === 0))
    looked.push(...(await findByErrors(deps, context, filter)));
  const found = looked.find(({ rows }) => rows.length > 0);
  if (!found) return text === '' ? nothingYet[scope] : noMatches(of, looked);
  // Selection and paging stay where the events were found.
  const shown = isUnlimited ? printFilterText(found.place.filter) : text;
  const elsewhere = filter.text && otherPlaces({ ...found.place.filter, text: filter.text }, scope);
  const { now } = context;
  const copied = await includeMerged(deps.db, found.place.filter);
  const frozen = freezeText(found.place.filter, now);
  const copies = handOver({ filter: copied, text: shown, frozen, scope, now });
  if (isArchive) {
    const size = await describeArchive(deps, context, { text, found });
    return html`${size}${archiveNote}${elsewhere}${copies}${showPage(context, found, { text: shown, scope })}`;
  }
  const matches = await countMatches(deps, context, found);
  const why = await listWhyNotNow(deps, found.rows.slice(0, pageSize));
  const { routes } = deps;
  return html`<p class="count" role="status">${describeMatches(matches, found)}</p>${elsewhere}${copies}
    ${showPage(context, found, { text: shown, scope, matches, why, routes })}`;
}

/**
 * The events of errors whose title, causes or frame have the words: the classes of a stack trace are in no
 * field of an event.
 */
async function findByErrors(
  deps: ConsoleDeps,
  context: PageContext,
  { text: words = [], ...others }: Filter,
): Promise<readonly Found[]> {
  const groups = await findGroupsByWords(deps.db, { words, max: maxGroups });
  const fingerprint = groups.map((group) => group.fingerprint);
  const place = { name: 'the titles and causes of errors', filter: { ...others, fingerprint } };
  if (groups.length === 0) return [{ rows: [], place }];
  return findFirst(deps, context, { places: [place], isArchive: false });
}

/** The text of a filter with fixed times; undefined if it means the same events at any time. */
function freezeText(filter: Filter, now: Date): string | undefined {
  const frozenAt = (at: Date) => printFilterText(freezeFilter(filter, at));
  const frozen = frozenAt(now);
  return frozen === frozenAt(new Date(now.getTime() + dayMs)) ? undefined : frozen;
}

function describeMatches({ events, isAll }: Matches, { place, reach }: Found): Html {
  const where = place.name && html`, found in ${place.name}`;
  return html`${!isAll && !reach && 'more than '}${countOf(events, 'event')}${where}${reach && html`, back to ${moment(timeOf(reach))}`}`;
}

type Shown = {
  readonly text: string;
  readonly scope: SearchScope;
  readonly matches?: Matches;
  readonly why?: WhyById;
  readonly routes?: ConsoleDeps['routes'];
};

/**
 * The events as a table, which operators select from unless they are archived, and the links to other pages.
 */
function showPage(
  { query, caller, now }: PageContext,
  { rows, place, reach }: Found,
  { text, scope, matches, ...waits }: Shown,
): Html {
  const events = rows.slice(0, pageSize);
  const isSelectable = matches !== undefined && caller.isOperator;
  const isByFailure = findOrder(place.filter) === 'failure';
  const table = eventTable(events, { now, isSelectable, isByFailure, ...waits });
  const last = reach ?? (rows.length > pageSize && events.at(-1));
  const next = last && searchLink(text, scope, last);
  return html`${isSelectable ? selectionForm(text, matches, table) : table}
    ${pager(next, query.has('before') && searchLink(text, scope), reach && furtherBack)}`;
}

const furtherBack = 'Search further back';

/** The time of an event by which its list is sorted. */
function timeOf({ time, createdAt }: Reach): Date {
  return new Date(time === null ? createdAt : Number(time) / 1000);
}

/**
 * The number of archived events, and the time that they are from; of a search, the number on a single page.
 */
async function describeArchive(
  { db }: ConsoleDeps,
  { query }: PageContext,
  { text, found: { rows, reach } }: { readonly text: string; readonly found: Found },
): Promise<Html> {
  if (text !== '') {
    const isAll = rows.length <= pageSize && !query.has('before') && !reach;
    const shown = countOf(Math.min(rows.length, pageSize), 'event');
    return html`<p class="count" role="status">${isAll ? shown : `${shown} on this page`}</p>`;
  }
  const [archive] = await measureArchive(db, { max: maxCounted + 1 });
  if (!archive) return html``;
  const { events, oldest, newest } = archive;
  const count = events > maxCounted ? `more than ${countOf(maxCounted, 'event')}` : countOf(events, 'event');
  return html`<p class="count" role="status">${count}, captured from ${moment(oldest)} to ${moment(newest)}</p>`;
}

const archiveNote = html`<p class="muted">Archived events are read-only. Open an event to restore it.</p>`;

const noEvents = html`<div class="empty"><h2>No event has been captured yet</h2>
  <p>Send a failed message to the capture function: <code>POST /capture</code> with <code>{"eventType", "payload", "error"}</code>.
  Each one becomes an event here.</p></div>`;

const emptyArchive = html`<div class="empty"><h2>The archive is empty</h2>
  <p>Delivered and discarded events move to the archive after <code>ARCHIVE_AFTER_DAYS</code>. It is partitioned by month.</p></div>`;

const nothingYet = { events: noEvents, 'events/archive': emptyArchive } as const;

/** Says where the search looked, and offers to go on there and other places. */
function noMatches({ filter, text, scope }: Query, looked: readonly Found[]): Html {
  const isArchive = scope === 'events/archive';
  const names = looked
    .filter(({ place, reach }) => place.name || reach)
    .map(
      ({ place, reach }) =>
        html`${place.name || 'the latest events'}${reach && html` back to ${moment(timeOf(reach))}`}`,
    );
  const unread = looked.find(({ reach }) => reach);
  const from = looked.length > 1 && unread ? printFilterText(unread.place.filter) : text;
  return html`<div class="empty"><h2>${isArchive ? 'No archived event matches' : 'No event matches'}${unread && ' so far'}</h2>
    <p>${names.length > 0 && html`It looked in ${names.map((name, i) => html`${i > 0 && (i < names.length - 1 ? ', ' : ' and ')}${name}`)}. `}Remove a condition, or <a href="${scope}">see all ${isArchive ? 'archived ' : ''}events</a>.</p>
    ${unread?.reach && html`<p><a class="button" href="${searchLink(from, scope, unread.reach)}" rel="next">${furtherBack}</a></p>`}
    ${otherPlaces(filter, scope)}</div>`;
}

/** The result of a search, or links that narrow it if it would read too many events. */
async function withinCost(
  search: () => Promise<Html>,
  { filter, scope }: { readonly filter: Filter; readonly scope: SearchScope },
): Promise<Html> {
  try {
    return await search();
  } catch (error) {
    if (!(error instanceof TooCostlyError)) throw error;
    const narrower = listNarrower(filter, scope).map(
      ([name, more]) =>
        html`<a class="button" href="${searchLink(printFilterText({ ...filter, ...more }), scope)}">${name}</a> `,
    );
    return html`<div class="empty" role="alert"><h2>This search reads too many events</h2>
      <p>Nothing was searched. Narrow it to a period or a status:</p><p>${narrower}</p></div>`;
  }
}

function listNarrower({ status, failedAfter }: Filter, scope: SearchScope) {
  const all: readonly (readonly [name: string, more: Filter])[] = [
    ['Last hour', { failedAfter: '1h' }],
    ...(failedAfter === undefined ? [['Last 24 hours', { failedAfter: '24h' }] as const] : []),
    ...(status === undefined && scope === 'events'
      ? ([
          ['Open only', { status: ['PENDING', 'PROCESSING'] }],
          ['Failed permanently only', { status: ['FAILED_PERMANENTLY'] }],
        ] as const)
      : []),
  ];
  return all;
}
