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
import { atLeast, moment } from '../components/format.ts';
import { emptyState, pager } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { Answer, ConsoleDeps, PageContext } from '../page.ts';
import { filterLinks, savedViews, searchForm } from '../views/saved-views.ts';
import { selectionForm } from './action-page.ts';
import { eventTable } from './event-table.ts';
import {
  addReading,
  needsReading,
  pageSize,
  readEvents,
  readingSection,
  readProgress,
} from './read-events.ts';
import { readPosition, readSearch, type SearchScope, searchLink } from './search.ts';
import {
  countMatches,
  type Found,
  findPage,
  findVisibleMentions,
  hasBareWords,
  listPlaces,
  type Matches,
  otherPlaces,
  type Place,
  readingPlace,
} from './search-places.ts';

const maxCounted = 10_000;

/** `GET /events?q=&before=`, `GET /events/archive?q=&before=`: one page of the events that match a filter. */
export function eventsPage(scope: SearchScope): Answer {
  const isArchive = scope === 'events/archive';
  const heading = isArchive ? 'Archive' : 'Events';
  return async (deps, context) => {
    const search = readSearch(context.query);
    const { filter, text } = search;
    const main = html`<h1 class="visually-hidden">${heading}</h1>
    ${searchForm(search, scope)}
    ${filter && filterLinks(filter, scope)}
    ${await savedViews(deps, context)}
    ${filter && (await listMatches(deps, context, { filter, text, scope, isArchive }))}`;
    const status = search.problems && 400;
    return { title: `${heading} ${text}`.trim(), tab: 'events', hasSearch: true, main, status };
  };
}

type Query = {
  readonly filter: Filter;
  readonly text: string;
  readonly scope: SearchScope;
  readonly isArchive: boolean;
};

type Shown = { readonly found: Found; readonly matches?: Matches | undefined };

/** Whether a user finds events by values that routes mask. */
const canCompareAll = (deps: ConsoleDeps, { caller }: PageContext) =>
  caller.isOperator || listMasks(deps).length === 0;

async function listMatches(deps: ConsoleDeps, context: PageContext, of: Query): Promise<Html> {
  const { filter, text, isArchive } = of;
  await guardProbes(deps, context.caller, { filter, isContinued: context.query.has('before') });
  if (hasBareWords(filter, text)) return findWords(deps, context, of);
  const place = { by: '', filter };
  const found = needsReading(filter) ? undefined : await findPage(deps, context, { place, isArchive });
  if (!found) return showReading(deps, context, { ...of, place });
  if (found.rows.length > 0) return showFound(deps, context, { ...of, found });
  return text === '' ? nothingYet[of.scope] : noMatches(of);
}

/** Bare words are looked up wherever an index has them, and else read for in each event. */
async function findWords(deps: ConsoleDeps, context: PageContext, of: Query): Promise<Html> {
  const { filter, isArchive } = of;
  const { caller } = context;
  const canCompare = canCompareAll(deps, context);
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
async function showFound(deps: ConsoleDeps, context: PageContext, of: Query & Shown): Promise<Html> {
  const { filter, found, isArchive } = of;
  const { by } = found.place;
  const reading = by !== '' && readingPlace(filter, canCompareAll(deps, context));
  const elsewhere = otherPlaces({ ...of, filter: by ? {} : filter, reading });
  const text = by ? printFilterText(found.place.filter) : of.text;
  if (isArchive) {
    const size = of.text === '' ? await describeArchive(deps) : describePage(found, context);
    return html`<p class="count" role="status">${size}</p>${archiveNote}${of.text !== '' && elsewhere}
      ${await showPage(deps, context, { ...of, text, found })}`;
  }
  const matches = await countMatches(deps, context, found);
  const count = html`${atLeast(countOf(matches.events, 'event'), matches.isAll)}${by && html`, found by ${by}`}`;
  return html`<p class="count" role="status">${count}</p>${by !== '' && elsewhere}
    ${await showPage(deps, context, { ...of, text, found, matches })}`;
}

async function showReading(deps: ConsoleDeps, context: PageContext, of: Query & { place: Place }) {
  const { place, isArchive } = of;
  const { filter, by } = place;
  const position = readPosition(context.query);
  const reading = await readEvents(deps, { filter, isArchived: isArchive, position });
  const counted = isArchive ? undefined : await countFromDepths(deps.db, indexedConditions(filter));
  const progress = { ...addReading(readProgress(context.query), reading), total: counted?.events };
  const { rows, reach } = reading;
  const shown = { ...of, filter, text: by ? printFilterText(filter) : of.text };
  const matches = isArchive ? undefined : { events: progress.found, isAll: !reach };
  const page =
    rows.length > 0 && (await showPage(deps, context, { ...shown, found: { rows, place }, matches }));
  return html`${readingSection(progress, reach, { ...shown, elsewhere: otherPlaces({ ...of, filter, reading: false }) })}
    <div data-results>${page}</div>`;
}

/** The events as a table, which operators select from unless they are archived, and the links below. */
async function showPage(deps: ConsoleDeps, context: PageContext, of: Query & Shown): Promise<Html> {
  const { query, caller } = context;
  const { text, scope, isArchive, matches, found } = of;
  const events = found.rows.slice(0, pageSize);
  const isSelectable = matches !== undefined && caller.isOperator;
  const isByFailure = findOrder(found.place.filter) === 'failure';
  const why = isArchive ? undefined : await listWhyNotNow(deps, events);
  const table = eventTable(events, { isSelectable, isByFailure, why, routes: deps.routes });
  const last = found.rows.length > pageSize && events.at(-1);
  const next = last && searchLink(text, scope, last);
  const file = (format: string, name: string) => {
    const fields = new URLSearchParams({ q: text, format, ...(isArchive && { archived: 'true' }) });
    return html`<a href="events/export?${String(fields)}" download>${name}</a>`;
  };
  return html`${isSelectable ? selectionForm(text, matches, table) : table}
    ${pager(next, query.has('before') && searchLink(text, scope))}
    <p class="muted small">Export all of them as ${file('csv', 'CSV')} or ${file('ndjson', 'NDJSON')}.</p>`;
}

function describePage({ rows }: Found, { query }: PageContext): string {
  const shown = countOf(Math.min(rows.length, pageSize), 'event');
  return rows.length <= pageSize && !query.has('before') ? shown : `${shown} on this page`;
}

async function describeArchive({ db }: ConsoleDeps): Promise<Html | undefined> {
  const [archive] = await measureArchive(db, { max: maxCounted + 1 });
  if (!archive) return undefined;
  const { events, oldest, newest } = archive;
  const count = atLeast(countOf(Math.min(events, maxCounted), 'event'), events <= maxCounted);
  return html`${count}, captured from ${moment(oldest)} to ${moment(newest)}`;
}

const archiveNote = html`<p class="muted">Archived events are read-only. Open an event to restore it.</p>`;

const nothingYet = {
  events: emptyState(
    'No event has been captured yet',
    html`<p>Send a failed message to the capture function: <code>POST /capture</code> with <code>{"eventType", "payload", "error"}</code>.
      Each one becomes an event here.</p>`,
  ),
  'events/archive': emptyState(
    'The archive is empty',
    html`<p>Delivered and discarded events move to the archive after <code>ARCHIVE_AFTER_DAYS</code>. It is partitioned by month.</p>`,
  ),
} as const;

function noMatches(of: Query): Html {
  const archived = of.isArchive ? 'archived ' : '';
  return emptyState(
    `No ${archived}event matches`,
    html`<p>Remove a condition, or <a href="${of.scope}">see all ${archived}events</a>.</p>
      ${otherPlaces({ ...of, reading: false })}`,
  );
}
