import type { Filter } from '../../../shared/filter/filter-schema.ts';
import { printFilterText } from '../../../shared/filter/print-filter-text.ts';
import { type Html, html } from '../html.ts';
import { icon } from '../parts/icon.ts';
import { type Search, type SearchPlace, searchLink } from './search.ts';

/** The filter as a line of text, and what is wrong with it. */
export function searchForm({ text, problems }: Search, place: SearchPlace = 'events'): Html {
  return html`<form class="filter-line" role="search" action="${place}">
      <span class="search">${icon('search')}<input type="search" name="q" value="${text}" data-search
        aria-label="Which events" placeholder="type:order.* status:PENDING error:&quot;timed out&quot; failed:&gt;24h"
        autocomplete="off" spellcheck="false"${problems && html` aria-invalid="true" aria-describedby="problems"`}></span>
      <button>Find</button>
    </form>
    ${problems && listMisreadings(text, problems)}`;
}

function listMisreadings(text: string, problems: NonNullable<Search['problems']>): Html {
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

/** The same search among the events that stand elsewhere, and in the archive. */
export function statusTabs({ status, ...others }: Filter, place: SearchPlace = 'events'): Html {
  const asked = printFilterText({ ...others, ...(status && { status }) });
  return html`<nav class="switch" aria-label="Status">${states.map(([name, wanted]) => {
    const isHere = place === 'events' && (wanted ?? []).join() === (status ?? []).toSorted().join();
    const filter = wanted ? { ...others, status: wanted } : others;
    return html`<a href="${searchLink(printFilterText(filter))}"${isHere && html` aria-current="true"`}>${name}</a>`;
  })}<a href="${searchLink(asked, 'events/archive')}"${place === 'events/archive' && html` aria-current="true"`}>Archive</a></nav>`;
}
