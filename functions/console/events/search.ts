import { InputError } from '../../../shared/errors.ts';
import { freezeFilter } from '../../../shared/events/filter/filter-condition.ts';
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
  const before = last && printPosition(last);
  const query = new URLSearchParams({ ...(text && { q: text }), ...(before && { before }) });
  return query.size > 0 ? `${scope}?${query}` : scope;
}

/** The start of a page, in `?before=`; by default the first page. */
export function readPosition(query: URLSearchParams): Position {
  return parsePosition(query.get('before') ?? '') ?? firstPosition;
}

type Previewed = { readonly text: string; readonly asOf: string | undefined; readonly now: Date };

/**
 * The filter of a preview: its relative times count back from the preview, and events captured since then are
 * excluded. A filter without conditions stays empty, so that an action rejects it. Throws an InputError.
 */
export function readPreviewedFilter({ text, asOf, now }: Previewed): Filter {
  const parsed = parseFilterText(text);
  if (!parsed.ok) {
    const quote = (from: number, to: number) => ({ field: 'filter', value: text.slice(from, to) });
    const problems = parsed.problems.map(({ from, to, remedy }) => ({ ...quote(from, to), remedy }));
    throw new InputError(problems);
  }
  const previewedAt = readTime(asOf, now);
  const filter = freezeFilter(parsed.value, previewedAt);
  const { capturedBefore } = filter;
  const isEarlier = capturedBefore !== undefined && new Date(capturedBefore) < previewedAt;
  return isEarlier || Object.keys(filter).length === 0
    ? filter
    : { ...filter, capturedBefore: previewedAt.toISOString() };
}

function readTime(text: string | undefined, now: Date): Date {
  const time = new Date(text ?? now);
  return Number.isNaN(time.getTime()) || time > now ? now : time;
}
