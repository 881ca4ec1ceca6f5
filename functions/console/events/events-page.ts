import { measureArchive } from '../../../shared/archive/archive.ts';
import { countOf } from '../../../shared/count-of.ts';
import { countFromDepths } from '../../../shared/events/count-from-depths.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { findOrder } from '../../../shared/events/filter/page-position.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import { listMasks } from '../../../shared/events/masking/mask-rules.ts';
import { indexedConditions } from '../../../shared/events/read-part.ts';
import { listWhyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { moment } from '../components/format.ts';
import { pager } from '../components/links.ts';
import { type Html, html } from '../html.ts';
import type { Answer, ConsoleDeps, PageContext } from '../page.ts';
import { savedViews } from '../views/saved-views.ts';
import { eventTable, type WhyById } from './event-table.ts';
import { filterChips } from './filter-chips.ts';
import { countMatches, type Found, findPage, type Matches } from './find-matches.ts';
import { needsReading, pageSize, readEvents } from './read-events.ts';
import { addReading, readingSection, readProgress } from './reading-section.ts';
import { readPosition, readSearch, type SearchScope, searchLink } from './search.ts';
import { conditionHelp, searchForm, statusTabs } from './search-form.ts';
import { hasBareWords, listPlaces, otherPlaces, type Place, readingPlace } from './search-places.ts';
import { selectionForm } from './selection.ts';
import { findVisibleMentions } from './visible-mentions.ts';

/** Archived events that are counted. */
const maxCounted = 10_000;

/** `GET /events?q=&before=`, `GET /events/archive?q=&before=`: one page of the events that match a filter. */
export function eventsPage(scope: SearchScope): Answer {
  const heading = scope === 'events' ? 'Events' : 'Archive';
  return async (deps, context) => {
    const search = readSearch(context.query);
    const { filter, text } = search;
    const query = filter && { filter, text, scope };
    const main = html`<h1 class="visually-hidden">${heading}</h1>
    ${await searchForm(deps, search, scope)}
    ${filter && html`<div class="filter-more">${statusTabs(filter, scope)}${filterChips(filter, scope)}${conditionHelp}</div>`}
    ${await savedViews(deps, context)}
    ${query && (await listMatches(deps, context, query))}`;
    const title = `${heading} ${text}`.trim();
    return { title, tab: 'events', hasSearch: true, main, ...(search.problems && { status: 400 }) };
  };
}

/** A valid search. */
type Query = { readonly filter: Filter; readonly text: string; readonly scope: SearchScope };

async function listMatches(deps: ConsoleDeps, context: PageContext, of: Query): Promise<Html> {
  const { filter, text, scope } = of;
  const isContinued = context.query.has('before');
  await guardProbes(deps, context.caller, { filter, isContinued });
  if (hasBareWords(filter, text)) return findWords(deps, context, of);
  const place = { by: '', filter };
  if (needsReading(filter)) return showReading(deps, context, { ...of, place });
  const found = await findPage(deps, context, { place, isArchive: scope === 'events/archive' });
  if (!found) return showReading(deps, context, { ...of, place });
  if (found.rows.length > 0) return showFound(deps, context, { ...of, found });
  return text === '' ? nothingYet[scope] : noMatches(of);
}

/** Bare words are looked up wherever an index has them, and else read for in each event. */
async function findWords(deps: ConsoleDeps, context: PageContext, of: Query): Promise<Html> {
  const { filter, scope } = of;
  const { caller } = context;
  const isArchive = scope === 'events/archive';
  const canCompare = caller.isOperator || listMasks(deps).length === 0;
  const lookUp = async (place: Place) => {
    await guardProbes(deps, caller, { filter: place.filter });
    const found = await findPage(deps, context, { place, isArchive });
    return found && found.rows.length > 0 ? found : undefined;
  };
  for await (const place of listPlaces(deps.db, filter, canCompare)) {
    // The archive has no index for the others.
    const found = isArchive && place.by !== 'id' ? undefined : await lookUp(place);
    if (found) return showFound(deps, context, { ...of, found });
  }
  const visible = canCompare || isArchive ? undefined : await findVisibleMentions(deps, filter);
  const found = visible && (await lookUp(visible));
  if (found) return showFound(deps, context, { ...of, found });
  const place = readingPlace(filter, canCompare);
  await guardProbes(deps, caller, { filter: place.filter, isContinued: true });
  return showReading(deps, context, { ...of, place });
}

/** Events that an index has. Selection and paging stay where they were found. */
async function showFound(
  deps: ConsoleDeps,
  context: PageContext,
  { filter, text, scope, found }: Query & { readonly found: Found },
): Promise<Html> {
  const { place, rows } = found;
  const shown = place.by ? printFilterText(place.filter) : text;
  const isAll = context.caller.isOperator || listMasks(deps).length === 0;
  const reading = place.by !== '' && readingPlace(filter, isAll);
  const elsewhere = otherPlaces({ text, filter: place.by ? {} : filter, reading }, scope);
  if (scope === 'events/archive') {
    const size = await describeArchive(deps, context, { text, found });
    return html`${size}${archiveNote}${text !== '' && elsewhere}${showPage(context, found, { text: shown, scope })}`;
  }
  const matches = await countMatches(deps, context, found);
  const why = await listWhyNotNow(deps, rows.slice(0, pageSize));
  return html`<p class="count" role="status">${describeMatches(matches, place)}</p>${place.by !== '' && elsewhere}
    ${showPage(context, found, { text: shown, scope, matches, why, routes: deps.routes })}`;
}

/** One part of a search that reads each event. */
async function showReading(
  deps: ConsoleDeps,
  context: PageContext,
  { text, scope, place }: Query & { readonly place: Place },
): Promise<Html> {
  const isArchive = scope === 'events/archive';
  const { filter, by } = place;
  const reading = await readEvents(deps, {
    filter,
    isArchived: isArchive,
    position: readPosition(context.query),
  });
  const counted = isArchive ? undefined : await countFromDepths(deps.db, indexedConditions(filter));
  const progress = { ...addReading(readProgress(context.query), reading), total: counted?.events };
  const shown = by ? printFilterText(filter) : text;
  const { rows, reach } = reading;
  const why = isArchive ? undefined : await listWhyNotNow(deps, rows);
  const matches = isArchive ? undefined : { events: progress.found, isAll: !reach };
  const options = {
    text: shown,
    scope,
    ...(matches && { matches }),
    ...(why && { why }),
    routes: deps.routes,
  };
  const elsewhere = otherPlaces({ text, filter, reading: false }, scope);
  return html`${readingSection(progress, reach, { text: shown, scope, filter, elsewhere })}
    <div data-results>${rows.length > 0 && showPage(context, { rows, place }, options)}</div>`;
}

function describeMatches({ events, isAll }: Matches, { by }: Place): Html {
  return html`${!isAll && 'more than '}${countOf(events, 'event')}${by && html`, found by ${by}`}`;
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
  { rows, place }: Found,
  { text, scope, matches, ...waits }: Shown,
): Html {
  const events = rows.slice(0, pageSize);
  const isSelectable = matches !== undefined && caller.isOperator;
  const isByFailure = findOrder(place.filter) === 'failure';
  const table = eventTable(events, { now, isSelectable, isByFailure, ...waits });
  const last = rows.length > pageSize && events.at(-1);
  const next = last && searchLink(text, scope, last);
  return html`${isSelectable ? selectionForm(text, matches, table) : table}
    ${pager(next, query.has('before') && searchLink(text, scope))}${exportLinks(text, scope)}`;
}

/** All events of a list as files, not only those of the page, with masked fields masked. */
function exportLinks(q: string, scope: SearchScope): Html {
  const archived = scope === 'events/archive' && { archived: 'true' };
  const link = (format: string, name: string) =>
    html`<a href="events/export?${String(new URLSearchParams({ q, format, ...archived }))}" download>${name}</a>`;
  return html`<p class="muted small">Export all of them as ${link('csv', 'CSV')} or ${link('ndjson', 'NDJSON')}.</p>`;
}

/**
 * The number of archived events, and the time that they are from; of a search, the number on a single page.
 */
async function describeArchive(
  { db }: ConsoleDeps,
  { query }: PageContext,
  { text, found: { rows } }: { readonly text: string; readonly found: Found },
): Promise<Html> {
  if (text !== '') {
    const isAll = rows.length <= pageSize && !query.has('before');
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

function noMatches({ filter, text, scope }: Query): Html {
  const isArchive = scope === 'events/archive';
  return html`<div class="empty"><h2>${isArchive ? 'No archived event matches' : 'No event matches'}</h2>
    <p>Remove a condition, or <a href="${scope}">see all ${isArchive ? 'archived ' : ''}events</a>.</p>
    ${otherPlaces({ text, filter, reading: false }, scope)}</div>`;
}
