import type { Database } from '../../../shared/database/database.ts';
import { countFromDepths } from '../../../shared/events/count-from-depths.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { hashIds } from '../../../shared/events/hash-ids.ts';
import { listKnownValues } from '../../../shared/events/known-values.ts';
import { findGroupsByWords } from '../../../shared/groups/list-groups.ts';
import { type Html, html } from '../html.ts';
import { type SearchScope, searchLink } from './search.ts';

/** A place that a search looks in: what it finds events by, and the filter that finds them. */
export type Place = { readonly by: string; readonly filter: Filter };

/** Errors whose events a search lists. */
const maxGroups = 20;

/** Whether a filter has words that were typed without the name of a field. */
export function hasBareWords(filter: Filter, text: string): boolean {
  return filter.text !== undefined && !/(^|\s)text:/.test(text);
}

/**
 * The places where an index or the counts have the events of bare words: values that are equal to a word, and
 * errors whose title, causes or frame have the words. `canCompare`: whether masked values are compared, too.
 */
export async function* listPlaces(
  db: Database,
  { text: words = [], ...others }: Filter,
  canCompare: boolean,
): AsyncGenerator<Place> {
  const [word = ''] = words;
  if (words.length === 1) {
    yield canCompare && hashIds([word]).length > 0
      ? { by: 'id', filter: { ...others, mention: [word] } }
      : { by: 'id', filter: { ...others, identifier: [word] } };
    const type = { ...others, eventType: [word] };
    const ofType = await countFromDepths(db, { eventType: type.eventType });
    if (ofType?.events) yield { by: 'type', filter: type };
    const known = await listKnownValues(db);
    for (const [by, field, values] of [
      ['error class', 'errorClass', known.errorClasses],
      ['consumer', 'consumerGroup', known.consumerGroups],
      ['subscription', 'sourceSubscription', known.subscriptions],
    ] as const) {
      if (values.includes(word)) yield { by, filter: { ...others, [field]: [word] } };
    }
  }
  const groups = await findGroupsByWords(db, { words, max: maxGroups });
  const fingerprint = groups.map((group) => group.fingerprint);
  if (groups.length > 0) yield { by: 'title and causes of errors', filter: { ...others, fingerprint } };
}

/** The place where each event is read for bare words, its headers and payload only if they are not masked. */
export function readingPlace({ text, ...others }: Filter, canCompare: boolean): Place {
  const words = text ?? [];
  return { by: 'words', filter: canCompare ? { ...others, anywhere: words } : { ...others, text: words } };
}

/** Links to where a search did not look: every event for its words, and the archive. */
export function otherPlaces(
  {
    text,
    filter,
    reading,
  }: { readonly text: string; readonly filter: Filter; readonly reading: Place | false },
  scope: SearchScope,
): Html | false {
  const named = namedText(filter);
  const links = [
    ...(reading ? [['every event for the words', searchLink(printFilterText(reading.filter), scope)]] : []),
    ...(named ? [['all fields', searchLink(named, scope)]] : []),
    ...(scope === 'events' && text !== '' ? [['the archive', searchLink(text, 'events/archive')]] : []),
  ];
  if (links.length === 0) return false;
  return html`<nav class="places" aria-label="Other places">Look in ${links.map(
    ([name, href]) => html`<a class="button small" href="${href}">${name}</a> `,
  )}</nav>`;
}

/** The value of a condition that matches only equal text: the user may have meant a part of it. */
function namedText(filter: Filter): string | undefined {
  const { identifier, mention, key, eventId, traceId, eventType, errorClass, consumerGroup } = filter;
  const all = [identifier, mention, key, eventId, traceId, eventType, errorClass, consumerGroup];
  const [only, ...more] = all.filter((each) => each !== undefined);
  return more.length > 0 ? undefined : only?.map((value) => value.replaceAll('*', '')).join(' ');
}
