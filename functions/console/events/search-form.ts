import { filterFields } from '../../../shared/events/filter/filter-fields.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { printText } from '../../../shared/events/filter/text-reader.ts';
import { type KnownValues, listKnownValues } from '../../../shared/events/known-values.ts';
import { icon } from '../components/icon.ts';
import { linkSwitch } from '../components/links.ts';
import { collapsible } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps } from '../page.ts';
import { type Search, type SearchScope, searchLink } from './search.ts';

/** The filter as a line of text, with its problems, and suggestions for what is typed. */
export async function searchForm(
  { db }: Pick<ConsoleDeps, 'db'>,
  { text, problems }: Search,
  scope: SearchScope,
): Promise<Html> {
  const suggestions = suggestConditions(await listKnownValues(db));
  return html`<form class="filter-line" role="search" action="${scope}">
      <span class="search">${icon('search')}<input type="search" name="q" value="${text}" data-search
        aria-label="Search events" placeholder="words, an id, or type:order.* status:open failed:&gt;24h" list="conditions"
        autocomplete="off" spellcheck="false"${problems && html` aria-invalid="true" aria-describedby="problems"`}></span>
      <button>Search</button>
      <datalist id="conditions">${suggestions.map((each) => html`<option value="${each}">`)}</datalist>
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

/** Conditions to complete what is typed: common ones, those of known values, and the words of all others. */
function suggestConditions(known: KnownValues): string[] {
  const conditions = (word: string, values: readonly string[]) =>
    values.map((value) => `${word}:${printText(value)}`);
  const words = Object.values(filterFields).map(({ word }) => `${word}:`);
  return [
    ...new Set([
      ...conditions('status', ['open', 'failed', 'pending', 'processing', 'succeeded', 'discarded']),
      ...conditions('failed', ['>1h', '>24h', '>7d', 'today', 'yesterday']),
      ...conditions('due', ['now', '<1h']),
      ...conditions('type', known.eventTypes),
      ...conditions('class', known.errorClasses),
      ...conditions('group', known.consumerGroups),
      ...conditions('subscription', known.subscriptions),
      ...words,
    ]),
  ];
}

/** Every condition with an example, from the definitions of the filter. */
export const conditionHelp = collapsible(
  'All conditions',
  html`<ul class="list">${Object.values(filterFields).map(
    ({ example, description }) =>
      html`<li><code>${example}</code><span class="muted">${description}</span></li>`,
  )}</ul>`,
);
