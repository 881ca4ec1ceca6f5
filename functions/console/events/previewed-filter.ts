import { InputError } from '../../../shared/errors.ts';
import { freezeFilter } from '../../../shared/events/filter/filter-condition.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { parseFilterText } from '../../../shared/events/filter/parse-filter-text.ts';

/** A filter as text, with the time of the preview of its matches. */
type Previewed = { readonly text: string; readonly asOf: string | undefined; readonly now: Date };

/**
 * The filter of a preview: its relative times count back from the preview, and events captured since then are
 * excluded. A filter without conditions stays empty, so that an action rejects it. Throws an InputError.
 */
export function readPreviewedFilter({ text, asOf, now }: Previewed): Filter {
  const parsed = parseFilterText(text);
  if (!parsed.ok) {
    const problems = parsed.problems.map(({ from, to, remedy }) => ({
      field: 'filter',
      value: text.slice(from, to),
      remedy,
    }));
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
