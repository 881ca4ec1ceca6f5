import { hasCost } from '../../../shared/events/filter/filter-fields.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { type Html, html } from '../html.ts';
import { type SearchScope, searchLink } from './search.ts';

/** A place that a search looks in: its name, and the filter that finds the events there. */
export type Place = { readonly name: string; readonly filter: Filter };

/**
 * The places to look in for the words of a search, one after the other until one has events: first those that
 * an index answers. A search without words, with a condition that an index answers, or with `text:` written out has one place: all
 * events.
 */
export function listPlaces(filter: Filter, text: string): readonly [Place, ...Place[]] {
  const { text: words, ...others } = filter;
  const isAsWritten = !words || /(^|\s)text:/.test(text) || hasCost(filter, 'index');
  if (isAsWritten) return [{ name: '', filter }];
  const lastDay = { name: 'the failures of the last 24 hours', filter: { ...filter, failedAfter: '24h' } };
  const open = { name: 'open events', filter: { ...filter, status: [...openStatuses] } };
  if (words.length > 1) return [lastDay, open];
  const named = {
    name: 'the ids, event ids, keys and trace ids of all events',
    filter: { ...others, identifier: words },
  };
  return [named, lastDay, open];
}

const openStatuses = ['PENDING', 'PROCESSING'] as const;

/** Links to the places where a search for words did not look. */
export function otherPlaces(filter: Filter, scope: SearchScope): Html | false {
  const links = listOtherPlaces(filter, scope);
  if (links.length === 0) return false;
  return html`<nav class="places" aria-label="Other places">Look in ${links.map(
    ([name, href]) => html`<a class="button small" href="${href}">${name}</a> `,
  )}</nav>`;
}

function listOtherPlaces(filter: Filter, scope: SearchScope): (readonly [name: string, href: string])[] {
  const { text: words, identifier: _, failedAfter, status, ...others } = filter;
  const phrases = words ?? namedTexts(filter);
  if (!phrases) return [];
  const link = (more: Filter, to: SearchScope = 'events') => searchLink(printFilterText(more), to);
  const phrase = phrases.join(' ');
  const rest = words ? others : {};
  return [
    ...(words ? [] : [['all fields', searchLink(phrase)] as const]),
    ['payloads of the last 24 hours', link({ ...rest, payloadText: phrase, failedAfter: '24h' })],
    ['payloads of open events', link({ ...rest, payloadText: phrase, status: [...openStatuses] })],
    ['permanent failures', link({ ...rest, text: phrases, status: ['FAILED_PERMANENTLY'] })],
    ...(scope === 'events' && !failedAfter && !status
      ? []
      : [['events of all time', link({ ...rest, text: phrases })] as const]),
    ...(scope === 'events'
      ? [['the archive', link({ ...rest, text: phrases }, 'events/archive')] as const]
      : []),
  ];
}

/**
 * The value of a condition that matches only equal text: the user may have meant a part of it, or another
 * field.
 */
function namedTexts({ identifier, key, eventId, traceId, eventType, errorClass, consumerGroup }: Filter) {
  const all = [identifier, key, eventId, traceId, eventType, errorClass, consumerGroup].filter(Boolean);
  return all.length === 1 ? all[0]?.map((text) => text.replaceAll('*', '')).filter(Boolean) : undefined;
}
