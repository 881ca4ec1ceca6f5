import { InputError } from '../../../shared/errors.ts';
import type { Filter } from '../../../shared/filter/filter-schema.ts';
import { freezeFilter } from '../../../shared/filter/freeze-filter.ts';
import { parseFilterText } from '../../../shared/filter/parse-filter-text.ts';

type Seen = {
  /** The filter as text, and when the person looked at what it matches. */
  readonly text: string;
  readonly asOf: string | undefined;
  readonly now: Date;
};

/**
 * The filter that a person has seen the events of: its times count back from when they looked, and nothing that was
 * captured since then joins. Without any condition it stays so, for an act to refuse. Throws an InputError.
 */
export function readSeenFilter({ text, asOf, now }: Seen): Filter {
  const parsed = parseFilterText(text);
  if (!parsed.ok) {
    const problems = parsed.problems.map(({ from, to, remedy }) => ({
      field: 'filter',
      value: text.slice(from, to),
      remedy,
    }));
    throw new InputError(problems);
  }
  const seenAt = readTime(asOf, now);
  const filter = freezeFilter(parsed.value, seenAt);
  const { capturedBefore } = filter;
  const isEarlier = capturedBefore !== undefined && new Date(capturedBefore) < seenAt;
  return isEarlier || Object.keys(filter).length === 0
    ? filter
    : { ...filter, capturedBefore: seenAt.toISOString() };
}

function readTime(text: string | undefined, now: Date): Date {
  const time = new Date(text ?? now);
  return Number.isNaN(time.getTime()) || time > now ? now : time;
}
