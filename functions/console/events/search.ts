import type { ListedEvent } from '../../../shared/event-pages.ts';
import type { Filter } from '../../../shared/filter/filter-schema.ts';
import { parseFilterText } from '../../../shared/filter/parse-filter-text.ts';
import type { Misreading } from '../../../shared/filter/text-reader.ts';
import { firstPosition, type Position, parsePosition, printPosition } from '../../../shared/latest-first.ts';

/** A search as its text says it, or what is wrong with the text. */
export type Search =
  | { readonly text: string; readonly filter: Filter; readonly problems?: never }
  | { readonly text: string; readonly filter?: never; readonly problems: readonly Misreading[] };

/** Reads the filter in `?q=`. What is no condition is looked for in the errors, a number among the ids. */
export function readSearch(query: URLSearchParams): Search {
  const text = completeText((query.get('q') ?? '').trim());
  const parsed = parseFilterText(text);
  return parsed.ok ? { text, filter: parsed.value } : { text, problems: parsed.problems };
}

/** Where events are looked for: among those that are kept at hand, or in the archive. */
export type SearchPlace = 'events' | 'events/archive';

/** The address of the events that a text means; of the page behind one of them. */
export function searchLink(text: string, place: SearchPlace = 'events', last?: ListedEvent): string {
  const query = new URLSearchParams({
    ...(text && { q: text }),
    ...(last && { before: printPosition(last) }),
  });
  return query.size > 0 ? `${place}?${query}` : place;
}

/** Where a page begins, as its address says. */
export function readPosition(query: URLSearchParams): Position {
  return parsePosition(query.get('before') ?? '') ?? firstPosition;
}

function completeText(text: string): string {
  if (/^\d+$/.test(text)) return `id:${text}`;
  return text === '' || /(^|\s)[a-z]+:/i.test(text) ? text : `error:${JSON.stringify(text)}`;
}
