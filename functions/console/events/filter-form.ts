import { filterFields } from '../../../shared/events/filter/filter-fields.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { printText } from '../../../shared/events/filter/text-reader.ts';
import { hiddenField, periods, selectField, textField } from '../components/form.ts';
import { collapsible } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';
import { searchLink } from './search.ts';

/** The most common fields; each accepts the same values as its word in the text form. */
const fields = [
  ['eventType', 'Event type'],
  ['errorText', 'Error contains'],
  ['answer', 'Answer contains'],
  ['errorClass', 'Error class'],
  ['payloadText', 'Payload contains'],
  ['consumerGroup', 'Consumer group'],
  ['sourceTopic', 'Topic'],
  ['key', 'Key'],
  ['eventId', 'Event id'],
  ['traceId', 'Trace id'],
] as const;

const statuses = [
  ['', 'any'],
  ['PENDING,PROCESSING', 'open'],
  ['FAILED_PERMANENTLY', 'failed permanently'],
  ['SUCCEEDED', 'succeeded'],
  ['DISCARDED', 'discarded'],
] as const;

/** The filter as a form. Conditions without a field in the form are kept. */
export function filterForm(filter: Filter): Html {
  const { status, failedAfter, failedBefore, retryCount } = filter;
  const statusText = status?.toSorted().join(',');
  const shown = new Set<string>(fields.map(([name]) => name));
  const isPeriod = periods.some(([value]) => value === failedAfter);
  if (isPeriod || pickerTime(failedAfter)) shown.add('failedAfter');
  if (pickerTime(failedBefore)) shown.add('failedBefore');
  if (statuses.some(([value]) => value === statusText)) shown.add('status');
  if (retryCount?.max === undefined) shown.add('retryCount');
  const rest = Object.entries(filter).filter(([name]) => !shown.has(name));
  const form = html`<form action="events/find" class="filter-form">
      ${hiddenField('rest', printFilterText(Object.fromEntries(rest)))}
      ${fields.map(([name, label]) => textField({ name, label, placeholder: exampleOf(name), value: show(filter[name]) }))}
      ${selectField({ name: 'status', label: 'Status', value: statusText, options: statuses })}
      ${textField({ name: 'retries', label: 'Retries, at least', value: retryCount?.min?.toString(), placeholder: '1' })}
      ${selectField({ name: 'failed', label: 'Failed', value: failedAfter, options: periods })}
      ${timeField('from', 'Failed from', failedAfter)}${timeField('to', 'Failed before', failedBefore)}
      <button>Search</button>
    </form>`;
  return collapsible('Filter by form', form);
}

/** A date and time in UTC, which the script shows and sends in the zone of the browser. */
function timeField(name: string, label: string, value: string | undefined): Html {
  return html`<label class="field"><span>${label} (<span data-zone-name>UTC</span>)</span><input type="datetime-local" name="${name}" value="${pickerTime(value)}" data-utc></label>`;
}

/** A time of a filter as the picker writes it; undefined for an age or a day. */
function pickerTime(time: string | undefined): string | undefined {
  if (time === undefined || !/^\d{4}-\d\d-\d\dT/.test(time)) return undefined;
  const at = new Date(/(Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString().slice(0, 16);
}

function exampleOf(name: (typeof fields)[number][0]): string {
  const { word, example } = filterFields[name];
  return example.slice(word.length + 1).replaceAll('"', '');
}

function show(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : (value ?? []).join(', ');
}

/** `GET /events/find?eventType=&failed=&from=`: redirects from the submitted form to the matching events. */
export function redirectToEvents(_deps: ConsoleDeps, { query }: PageContext): Redirect {
  return { to: searchLink(composeText(query)) };
}

function composeText(query: URLSearchParams): string {
  const sent = (name: string) => (query.get(name) ?? '').trim();
  const conditions = fields.flatMap(([name]) => {
    const { kind, word } = filterFields[name];
    const value = sent(name);
    if (value === '') return [];
    // A comma has no meaning in one text.
    const values = kind.takes === 'one' ? [value] : value.split(',').map((each) => each.trim());
    return [`${word}:${values.filter(Boolean).map(printText).join(',')}`];
  });
  const [status, retries, failed, from, to] = ['status', 'retries', 'failed', 'from', 'to'].map(sent);
  const times =
    from || to ? [from && `failed:>${from}Z`, to && `failed:<${to}Z`] : [failed && `failed:>${failed}`];
  const others = [status && `status:${status}`, retries && `retries:>=${retries}`, ...times, sent('rest')];
  return [...conditions, ...others].filter(Boolean).join(' ');
}
