import { filterFields } from '../../../shared/events/filter/filter-fields.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { printText } from '../../../shared/events/filter/text-reader.ts';
import { type KnownValues, listKnownValues } from '../../../shared/events/known-values.ts';
import { searchInput } from '../components/form.ts';
import { linkSwitch } from '../components/links.ts';
import { collapsible } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps } from '../page.ts';
import { type Search, type SearchScope, searchLink } from './search.ts';

/** The filter as a line of text, with its problems, and suggestions for what is typed. */
export async function searchForm(
  { db }: Pick<ConsoleDeps, 'db'>,
  { text, problems = [] }: Search,
  scope: SearchScope,
): Promise<Html> {
  const suggestions = suggestConditions(await listKnownValues(db));
  const more = html` list="conditions"${problems.length > 0 && html` aria-invalid="true" aria-describedby="problems"`}`;
  const input = searchInput('events', {
    value: text,
    placeholder: 'words, an id, or type:order.* status:open failed:>24h',
    more,
  });
  const wrong = problems.map(({ from, to, remedy }) => {
    const part = text.slice(from, to);
    return html`<li>${part !== '' && html`<code>${part}</code> `}${remedy}</li>`;
  });
  return html`<form class="filter-line" role="search" action="${scope}">${input}<button>Search</button>
      <datalist id="conditions">${suggestions.map((each) => html`<option value="${each}">`)}</datalist>
    </form>
    ${wrong.length > 0 && html`<ul class="problems" id="problems">${wrong}</ul>`}`;
}

/** Links to the same search with another status or without a condition, and all conditions. */
export function filterLinks(filter: Filter, scope: SearchScope): Html {
  const chips = Object.entries(filter)
    .filter(([name, value]) => name !== 'status' && value !== undefined)
    .map(([name, value]) => {
      const text = printFilterText({ [name]: value });
      const rest = printFilterText({ ...filter, [name]: undefined });
      return html`<a class="chip" href="${searchLink(rest, scope)}" aria-label="Remove ${text}"><span class="truncate">${text}</span> ×</a>`;
    });
  return html`<div class="filter-more">${statusTabs(filter, scope)}${chips.length > 0 && html`<div class="chips">${chips}</div>`}${conditionHelp}</div>`;
}

const states = [
  [undefined, 'All'],
  [['PENDING', 'PROCESSING'], 'Open'],
  [['FAILED_PERMANENTLY'], 'Failed permanently'],
  [['SUCCEEDED'], 'Succeeded'],
  [['DISCARDED'], 'Discarded'],
] as const;

function statusTabs({ status, ...others }: Filter, scope: SearchScope): Html {
  const link = (statuses: Filter['status'], to: SearchScope = 'events') =>
    searchLink(printFilterText({ ...others, ...(statuses && { status: statuses }) }), to);
  const tabs = states.map(([statuses, text]) => [link(statuses), text] as const);
  const archive = link(status, 'events/archive');
  const current = scope === 'events' ? link(status?.toSorted()) : archive;
  return linkSwitch('Status', [...tabs, [archive, 'Archive']], { current, href: (address) => address });
}

/** Conditions to complete what is typed: common ones, those of known values, and the words of all others. */
function suggestConditions(known: KnownValues): readonly string[] {
  const values: Readonly<Record<string, readonly string[]>> = {
    status: ['open', 'failed', 'pending', 'processing', 'succeeded', 'discarded'],
    failed: ['>1h', '>24h', '>7d', 'today', 'yesterday'],
    due: ['now', '<1h'],
    type: known.eventTypes,
    class: known.errorClasses,
    group: known.consumerGroups,
    subscription: known.subscriptions,
  };
  const suggested = Object.entries(values).flatMap(([word, each]) =>
    each.map((value) => `${word}:${printText(value)}`),
  );
  return [...suggested, ...Object.values(filterFields).map(({ word }) => `${word}:`)];
}

/** Every condition with an example, from the definitions of the filter. */
const conditionHelp = collapsible(
  'All conditions',
  html`<ul class="list">${Object.values(filterFields).map(
    ({ example, description }) =>
      html`<li><code>${example}</code><span class="muted">${description}</span></li>`,
  )}</ul>`,
);
