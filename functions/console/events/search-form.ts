import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { icon } from '../components/icon.ts';
import { linkSwitch } from '../components/links.ts';
import { type Html, html } from '../html.ts';
import { type Search, type SearchScope, searchLink } from './search.ts';

/** The filter as a line of text, with its problems. */
export function searchForm({ text, problems }: Search, scope: SearchScope): Html {
  return html`<form class="filter-line" role="search" action="${scope}">
      <span class="search">${icon('search')}<input type="search" name="q" value="${text}" data-search
        aria-label="Filter" placeholder="type:order.* status:PENDING error:&quot;timed out&quot; failed:&gt;24h"
        autocomplete="off" spellcheck="false"${problems && html` aria-invalid="true" aria-describedby="problems"`}></span>
      <button>Search</button>
    </form>
    ${problems && listFilterProblems(text, problems)}`;
}

function listFilterProblems(text: string, problems: NonNullable<Search['problems']>): Html {
  return html`<ul class="problems" id="problems">${problems.map(
    ({ from, to, remedy }) =>
      html`<li>${text.slice(from, to) !== '' && html`<code>${text.slice(from, to)}</code> `}${remedy}</li>`,
  )}</ul>`;
}

const states = [
  [undefined, 'All'],
  [['PENDING', 'PROCESSING'], 'Open'],
  [['FAILED_PERMANENTLY'], 'Failed permanently'],
  [['SUCCEEDED'], 'Succeeded'],
  [['DISCARDED'], 'Discarded'],
] as const;

/** The same search with another status, or in the archive. */
export function statusTabs({ status, ...others }: Filter, scope: SearchScope): Html {
  const link = (statuses: Filter['status'], to: SearchScope) =>
    searchLink(printFilterText({ ...others, ...(statuses && { status: statuses }) }), to);
  const tabs = states.map(([statuses, text]) => [link(statuses, 'events'), text] as const);
  const archive = link(status, 'events/archive');
  const current = scope === 'events' ? link(status?.toSorted(), 'events') : archive;
  return linkSwitch('Status', [...tabs, [archive, 'Archive']], { current, href: (address) => address });
}
