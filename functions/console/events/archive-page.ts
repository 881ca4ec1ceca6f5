import { listArchivedEvents } from '../../../shared/event-pages.ts';
import type { Filter } from '../../../shared/filter/filter-schema.ts';
import { freezeFilter } from '../../../shared/filter/freeze-filter.ts';
import { runWithinCost } from '../../../shared/filter/run-within-cost.ts';
import { findOrder } from '../../../shared/latest-first.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../layout.ts';
import type { Visit } from '../visit.ts';
import { eventTable } from './event-table.ts';
import { findWithinCost } from './find-within-cost.ts';
import { readPosition, readSearch, searchLink } from './search.ts';
import { searchForm, statusTabs } from './search-form.ts';

const pageSize = 50;
const place = 'events/archive';

/** `GET /events/archive?q=&before=`: the archived events that a filter means, a page of them. */
export async function archivePage(deps: ConsoleDeps, visit: Visit): Promise<Page> {
  const search = readSearch(visit.query);
  const { filter, text } = search;
  const found = filter && (await findWithinCost(() => showFound(deps, visit, { filter, text })));
  const main = html`<h1 class="unseen">Archive</h1>
    ${searchForm(search, place)}
    ${filter && html`<div class="filter-more">${statusTabs(filter, place)}</div>`}
    ${found && ('tooCostly' in found ? found.tooCostly : found)}`;
  const title = `Archive ${text}`.trim();
  return { title, tab: 'events', hasSearch: true, main, ...(search.problems && { status: 400 }) };
}

type Asked = { readonly filter: Filter; readonly text: string };

async function showFound({ db, costLimit }: ConsoleDeps, visit: Visit, asked: Asked): Promise<Html> {
  const filter = freezeFilter(asked.filter, visit.now);
  const params = { ...readPosition(visit.query), most: pageSize + 1 };
  const found = await runWithinCost(db, listArchivedEvents, { filter, params, costLimit });
  const events = found.slice(0, pageSize);
  if (events.length === 0) return nothingFound;
  return html`<p class="muted">Closed, and moved out of the way. To act on one, open it and bring it back.</p>
    ${eventTable(events, { now: visit.now, isByFailure: findOrder(filter) === 'failure' })}
    <nav class="pager" aria-label="Pages of events">
      ${visit.query.has('before') && html`<a href="${searchLink(asked.text, place)}">Newest</a>`}
      ${found.length > pageSize && html`<a href="${searchLink(asked.text, place, events.at(-1))}" rel="next">Older</a>`}
    </nav>`;
}

const nothingFound = html`<div class="empty"><h2>Nothing in the archive matches</h2>
  <p>What was closed <code>ARCHIVE_AFTER_DAYS</code> ago is moved here, month by month, so that the rest stays fast.</p></div>`;
