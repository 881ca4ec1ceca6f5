import * as v from 'valibot';

/** The largest id: pages that list the newest first start before it. */
export const maxBigint = '9223372036854775807';

/** Whether up to 19 digits fit into a bigint of PostgreSQL. */
export function isBigint(digits: string): boolean {
  return digits.padStart(maxBigint.length, '0') <= maxBigint;
}

const positive = 'An id is a positive whole number.';

/** An id, given as text or as a number; returned as text, because a bigint does not fit into a number. */
export const EventIdSchema = v.pipe(
  v.union(
    [
      v.pipe(v.string(), v.regex(/^[1-9]\d{0,18}$/, positive)),
      v.pipe(
        v.number(),
        v.safeInteger('Give a whole number, and one above 2^53 as text.'),
        v.minValue(1, positive),
      ),
    ],
    'Give an id as text or as a whole number.',
  ),
  v.transform(String),
  v.check(isBigint, 'An id is less than 2^63.'),
);

/** Returns a text, such as a part of an address, if it is an id. */
export function readId(text: string | null | undefined): string | undefined {
  return text && v.is(EventIdSchema, text) ? text : undefined;
}

/** A list of 1 to 1000 ids. */
export const EventIdsSchema = v.pipe(
  v.array(EventIdSchema, 'Give a list of event ids.'),
  v.minLength(1, 'Name at least one event.'),
  v.maxLength(1000, 'Name at most 1000 events at a time.'),
  v.description('The ids of the events.'),
);
