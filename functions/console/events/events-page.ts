import { atLeast, countOf } from '../../../shared/count-of.ts';
import { countFromDepths } from '../../../shared/events/count-from-depths.ts';
import { findOrder, firstPosition, parsePosition } from '../../../shared/events/filter/page-position.ts';
import { listMasks } from '../../../shared/events/masking/mask-rules.ts';
import { narrowConditions } from '../../../shared/events/read-part.ts';
import { listWhyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { link, pager, type SearchScope, searchLink } from '../components/links.ts';
import { emptyState } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { Answer } from '../page.ts';
import { selectionForm } from './action-page.ts';
import { eventTable } from './event-table.ts';
import { countMatches, type Found, findEvents, linkElsewhere, type Matches, readWords } from './lookups.ts';
import { addReading, finished, pageSize, unfinished } from './read-events.ts';
import { type Asked, conditionHelp, filterLinks, readSearch, savedViews, searchForm } from './search.ts';

/** `GET /events?q=&before=`, `GET /events/archive?q=&before=`: one page of the events that match a filter. */
export function eventsPage(scope: SearchScope): Answer {
  const isArchive = scope === 'events/archive';
  const heading = isArchive ? 'Archive' : 'Events';
  return async (deps, context) => {
    const search = readSearch(context.query);
    const { filter, text, problems } = search;
    const position = parsePosition(context.query.get('before') ?? '') ?? firstPosition;
    const canCompare = context.caller.isOperator || listMasks(deps).length === 0;
    const main = html`<h1 class="visually-hidden">${heading}</h1>
    ${searchForm(search, scope)}
    ${filter ? filterLinks(filter, scope) : conditionHelp(true)}
    ${filter && (await savedViews(deps, context))}
    ${filter && (await listMatches({ deps, context, text, filter, scope, isArchive, position, canCompare }))}`;
    return { title: `${heading} ${text}`.trim(), hasSearch: true, main, status: problems && 400 };
  };
}

async function listMatches(asked: Asked): Promise<Html> {
  const found = await findEvents(asked);
  if (found.end || found.isRead) return showReading(asked, found);
  if (found.rows.length > 0) return showFound(asked, found);
  return asked.text === '' ? nothingYet[asked.scope] : noMatches(asked);
}

/** Events that an index has. Selection and paging stay with the lookup that found them. */
async function showFound(asked: Asked, found: Found): Promise<Html> {
  const { rows, by } = found;
  const matches = asked.isArchive ? undefined : await countMatches(asked, found);
  const isWhole = rows.length <= pageSize && !asked.context.query.has('before');
  // A search of the archive is not counted.
  const size = matches
    ? html`${atLeast(countOf(matches.events, 'event'), matches.isAll)}${by && html`, found by ${by}`}`
    : `${countOf(Math.min(rows.length, pageSize), 'event')}${isWhole ? '' : ' on this page'}`;
  return html`<p class="count" role="status">${size}</p>${asked.isArchive && html`<p class="muted">Archived events are read-only. Open an event to restore it.</p>`}
    ${by !== '' && linkElsewhere(asked, readWords(asked))}${await showPage(asked, found, matches)}`;
}

async function showReading(asked: Asked, found: Found): Promise<Html> {
  const { deps, context, isArchive } = asked;
  const total = isArchive ? undefined : await countFromDepths(deps.db, narrowConditions(found.filter));
  const rows = found.rows.slice(0, pageSize);
  const progress = { ...addReading(context.query, { ...found, rows }), total };
  const last = found.rows.length > pageSize ? rows.at(-1) : undefined;
  const end = last ? { ...last, createdAt: last.capturedAt } : found.end;
  const matches = isArchive ? undefined : { events: progress.found, isAll: !end };
  const read = { ...asked, text: found.text, filter: found.filter };
  const state = end ? unfinished(progress, end, read) : finished(progress, read, linkElsewhere(asked));
  return html`<div class="reading" id="reading">${state}</div>
    <div data-results>${rows.length > 0 && (await showPage(asked, { ...found, rows }, matches))}</div>`;
}

/** The events as a table, which operators select from unless they are archived, and the links below. */
async function showPage(asked: Asked, found: Found, matches?: Matches): Promise<Html> {
  const { deps, context, scope, isArchive } = asked;
  const { rows, text, filter } = found;
  const events = rows.slice(0, pageSize);
  const isSelectable = matches !== undefined && context.caller.isOperator;
  const isByFailure = findOrder(filter) === 'failure';
  const why = isArchive ? undefined : await listWhyNotNow(deps, events);
  const table = eventTable(events, { isSelectable, isByFailure, why, routes: deps.routes });
  const last = rows.length > pageSize && events.at(-1);
  const next = last && searchLink(text, scope, last);
  const file = (format: string, name: string) => {
    const href = link('events/export', { q: text, format, archived: isArchive && 'true' });
    return html`<a href="${href}" download>${name}</a>`;
  };
  return html`${isSelectable ? selectionForm(found, matches, table) : table}
    ${pager(next, context.query.has('before') && searchLink(text, scope))}
    <p class="muted small">Export all of them as ${file('csv', 'CSV')} or ${file('ndjson', 'NDJSON')}.</p>`;
}

const nothingYet = {
  events: emptyState(
    'No event has been captured yet',
    html`<p>The <a href=".">overview</a> says how to report a failure. Each one becomes an event here.</p>`,
  ),
  'events/archive': emptyState(
    'The archive is empty',
    html`<p>Delivered and discarded events move to the archive after <code>ARCHIVE_AFTER_DAYS</code>. It is partitioned by month.</p>`,
  ),
} as const;

function noMatches(asked: Asked): Html {
  const archived = asked.isArchive ? 'archived ' : '';
  return emptyState(
    `No ${archived}event matches`,
    html`<p>Remove a condition, or <a href="${asked.scope}">see all ${archived}events</a>.</p>
      ${linkElsewhere(asked)}`,
  );
}
