import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { hiddenField, selectField, textField } from '../components/form.ts';
import { collapsible } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';
import { searchLink } from './search.ts';

/** The most common fields; each accepts the same values as its word in the text form. */
const fields = [
  ['eventType', 'type', 'Event type', 'order.*'],
  ['errorText', 'error', 'Error contains', 'timed out'],
  ['errorClass', 'class', 'Error class', '*TimeoutException'],
  ['consumerGroup', 'group', 'Consumer group', 'billing'],
  ['sourceTopic', 'topic', 'Topic', 'orders'],
  ['key', 'key', 'Key', 'customer-17'],
] as const;

const periods = [
  ['', 'any time'],
  ['1h', 'last hour'],
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
] as const;

/** The filter as a form. Conditions without a field in the form are kept. */
export function filterForm(filter: Filter): Html {
  const names = new Set<string>(fields.map(([name]) => name));
  const isPeriod = periods.some(([value]) => value === filter.failedAfter);
  const rest = Object.entries(filter).filter(
    ([name]) => !names.has(name) && !(name === 'failedAfter' && isPeriod),
  );
  const form = html`<form action="events/find" class="filter-form">
      ${hiddenField('rest', printFilterText(Object.fromEntries(rest)))}
      ${fields.map(([name, word, label, placeholder]) => textField({ name: word, label, placeholder, value: show(filter[name]) }))}
      ${selectField({ name: 'failed', label: 'Failed', value: filter.failedAfter, options: periods })}
      <button>Search</button>
    </form>`;
  return collapsible('Filter by form', form);
}

function show(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : (value ?? []).join(', ');
}

/** `GET /events/find?type=&failed=`: redirects from the submitted form to the matching events. */
export function redirectToEvents(_deps: ConsoleDeps, { query }: PageContext): Redirect {
  return { to: searchLink(composeText(query)) };
}

function composeText(query: URLSearchParams): string {
  const conditions = fields.flatMap(([name, word]) => {
    const value = (query.get(word) ?? '').trim();
    if (value === '') return [];
    const values = name === 'errorText' ? [value] : value.split(',').map((each) => each.trim());
    return [`${word}:${values.filter(Boolean).map(quoteIfNeeded).join(',')}`];
  });
  const failed = query.get('failed');
  return [...conditions, failed && `failed:>${failed}`, query.get('rest')].filter(Boolean).join(' ');
}

function quoteIfNeeded(value: string): string {
  return /[\s",]/.test(value) ? JSON.stringify(value) : value;
}
