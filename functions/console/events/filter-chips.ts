import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { type Html, html } from '../html.ts';
import { type SearchScope, searchLink } from './search.ts';

/** The conditions of a filter, each with a link to the list without it; the status has tabs of its own. */
export function filterChips(filter: Filter, scope: SearchScope): Html | false {
  const chips = Object.entries(filter)
    .filter(([name, value]) => name !== 'status' && value !== undefined)
    .map(([name, value]) => {
      const text = printFilterText({ [name]: value });
      const rest = printFilterText({ ...filter, [name]: undefined });
      return html`<a class="chip" href="${searchLink(rest, scope)}" aria-label="Remove ${text}"><span class="truncate">${text}</span> ×</a>`;
    });
  return chips.length > 0 && html`<div class="chips">${chips}</div>`;
}
