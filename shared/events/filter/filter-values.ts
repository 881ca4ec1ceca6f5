import * as v from 'valibot';
import { toStorableText } from '../../database/storable-text.ts';

/** Text as events store it: characters that PostgreSQL cannot store were replaced at the capture. */
export const TextSchema = v.pipe(
  v.string('Give it as text.'),
  v.nonEmpty('Must not be empty: leave the field out to match everything.'),
  v.maxLength(1000, 'Must have at most 1000 characters.'),
  v.transform((value) => toStorableText(value)),
);

/** One value, or a list of 1 to `max` values; the output is a list of distinct values. */
export function oneOrMore<Output extends string>(item: v.GenericSchema<unknown, Output>, max: number) {
  const list = v.pipe(
    v.array(item),
    v.minLength(1, 'Must not be empty: leave the field out to match everything.'),
    v.maxLength(max, `Give at most ${max}.`),
  );
  const one = v.pipe(
    item,
    v.transform((value) => [value]),
  );
  return v.pipe(
    // A union could not report which element is wrong.
    v.lazy((input): v.GenericSchema<unknown, Output[]> => (Array.isArray(input) ? list : one)),
    v.transform((values): readonly Output[] => [...new Set(values)]),
  );
}
