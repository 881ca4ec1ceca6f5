import type { Filter } from '../../../shared/filter/filter-schema.ts';
import { printFilterText } from '../../../shared/filter/print-filter-text.ts';
import { type Html, html } from '../html.ts';

/** The fields that most searches are made of; each takes what the text form takes after its word. */
const fields = [
  ['eventType', 'type', 'Event type', 'order.*'],
  ['errorText', 'error', 'Error contains', 'timed out'],
  ['errorClass', 'class', 'Error class', '*TimeoutException'],
  ['consumerGroup', 'group', 'Consumer group', 'billing'],
  ['sourceTopic', 'topic', 'Topic', 'orders'],
  ['key', 'key', 'Key', 'customer-17'],
] as const;

const periods = [
  ['', 'at any time'],
  ['1h', 'in the last hour'],
  ['24h', 'in the last 24 hours'],
  ['7d', 'in the last 7 days'],
  ['30d', 'in the last 30 days'],
] as const;

/** The filter as a form, for those who do not know the words yet. What it has no field for is kept. */
export function filterForm(filter: Filter): Html {
  const names = new Set<string>(fields.map(([name]) => name));
  const isPeriod = periods.some(([value]) => value === filter.failedAfter);
  const rest = Object.entries(filter).filter(
    ([name]) => !names.has(name) && !(name === 'failedAfter' && isPeriod),
  );
  return html`<details class="fold"><summary>Filter by form</summary>
    <form action="events/find" class="filter-form">
      <input type="hidden" name="rest" value="${printFilterText(Object.fromEntries(rest))}">
      ${fields.map(([name, word, label, example]) => textField({ word, label, example, value: show(filter[name]) }))}
      <label class="field"><span>Failed</span><select name="failed">${periods.map(
        ([value, words]) =>
          html`<option value="${value}"${value === filter.failedAfter && html` selected`}>${words}</option>`,
      )}</select></label>
      <button>Find</button>
    </form></details>`;
}

function textField(field: { word: string; label: string; example: string; value: string }): Html {
  return html`<label class="field"><span>${field.label}</span>
    <input type="text" name="${field.word}" value="${field.value}" placeholder="${field.example}" autocomplete="off"></label>`;
}

function show(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : (value ?? []).join(', ');
}

/** The text that a filled-in form means. */
export function composeText(query: URLSearchParams): string {
  const conditions = fields.flatMap(([name, word]) => {
    const value = (query.get(word) ?? '').trim();
    if (value === '') return [];
    const values = name === 'errorText' ? [value] : value.split(',').map((each) => each.trim());
    return [`${word}:${values.filter(Boolean).map(quoteWhereNeeded).join(',')}`];
  });
  const failed = query.get('failed');
  return [...conditions, failed && `failed:>${failed}`, query.get('rest')].filter(Boolean).join(' ');
}

function quoteWhereNeeded(value: string): string {
  return /[\s",]/.test(value) ? JSON.stringify(value) : value;
}
