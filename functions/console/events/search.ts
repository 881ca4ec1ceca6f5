import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import {
  firstPosition,
  type PagedRow,
  type Position,
  parsePosition,
  printPosition,
} from '../../../shared/events/filter/page-position.ts';
import { parseFilterText } from '../../../shared/events/filter/parse-filter-text.ts';
import type { Misreading } from '../../../shared/events/filter/text-reader.ts';

/** A search: its text, and either the filter it means or its problems. */
export type Search = {
  readonly text: string;
  readonly filter?: Filter;
  readonly problems?: readonly Misreading[];
};

/** Reads the filter in `?q=`. */
export function readSearch(query: URLSearchParams): Search {
  const text = (query.get('q') ?? '').trim();
  const parsed = parseFilterText(text);
  return parsed.ok ? { text, filter: parsed.value } : { text, problems: parsed.problems };
}

/** The path of the list that is searched: events, or the archive. */
export type SearchScope = 'events' | 'events/archive';

/** The address of a search; with `last`, of the page after that event. */
export function searchLink(text: string, scope: SearchScope = 'events', last?: PagedRow): string {
  const query = new URLSearchParams({
    ...(text && { q: text }),
    ...(last && { before: printPosition(last) }),
  });
  return query.size > 0 ? `${scope}?${query}` : scope;
}

/** The start of a page, in `?before=`; by default the first page. */
export function readPosition(query: URLSearchParams): Position {
  return parsePosition(query.get('before') ?? '') ?? firstPosition;
}
