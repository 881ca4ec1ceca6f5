import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { icon } from '../components/icon.ts';
import { linkSwitch } from '../components/links.ts';
import { type Html, html } from '../html.ts';
import { type Search, type SearchScope, searchLink } from './search.ts';

/** The filter as a line of text, with its problems. */
export function searchForm({ text, problems }: Search, scope: SearchScope = 'events'): Html {
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
  ['All', undefined],
  ['Open', ['PENDING', 'PROCESSING']],
  ['Failed permanently', ['FAILED_PERMANENTLY']],
  ['Succeeded', ['SUCCEEDED']],
  ['Discarded', ['DISCARDED']],
] as const;

/** The same search with another status, or in the archive. */
export function statusTabs({ status, ...others }: Filter, scope: SearchScope = 'events'): Html {
  const links = states.map(([text, statuses]) => ({
    href: searchLink(printFilterText(statuses ? { ...others, status: statuses } : others)),
    text,
    isCurrent: scope === 'events' && (statuses ?? []).join() === (status ?? []).toSorted().join(),
  }));
  const archive = {
    href: searchLink(printFilterText({ ...others, ...(status && { status }) }), 'events/archive'),
    text: 'Archive',
    isCurrent: scope === 'events/archive',
  };
  return linkSwitch('Status', [...links, archive]);
}
