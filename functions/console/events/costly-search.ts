import { TooCostlyError } from '../../../shared/errors.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { type Html, html } from '../html.ts';
import { type SearchScope, searchLink } from './search.ts';

/** The result of a search, or links that narrow it if it would read too many events. */
export async function withinCost(
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
