import * as v from 'valibot';
import { wholeNumber } from '../../config/whole-number.ts';
import { toStorableText } from '../../database/storable-text.ts';
import { isObject } from '../../json/parse-json.ts';
import { type Json, JsonSchema } from './json-schema.ts';

export const statuses = ['PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED'] as const;

/** A status, in upper or lower case. */
export const StatusSchema = v.pipe(
  v.string('Give it as text.'),
  v.metadata({ enum: statuses }),
  v.toUpperCase(),
  v.picklist(statuses, `Use one of ${statuses.join(', ')}.`),
);

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

/** A range of whole numbers between `minimum` and `maximum`, with one bound or both. */
export function rangeOf(minimum: number, maximum: number) {
  const bound = v.exactOptional(wholeNumber(minimum, maximum));
  const shape = 'Give {"min": number}, {"max": number}, or both.';
  return v.pipe(
    v.strictObject({ min: bound, max: bound }, shape),
    v.minEntries(1, shape),
    v.check(
      ({ min = minimum, max = Math.max(min, maximum) }) => min <= max,
      'Its min is above its max: swap them.',
    ),
    v.readonly(),
  );
}

const runRemedy =
  'Give the id of a replay, and optionally an outcome: "26", "26/failed". Outcomes are waiting, delivered, failed and skipped.';

/** The events of a replay, or those with one outcome. */
export const RunSelectionSchema = v.pipe(
  v.string(runRemedy),
  v.regex(/^[1-9]\d{0,17}(\/(waiting|delivered|failed|skipped))?$/, runRemedy),
  v.metadata({ examples: ['26', '26/failed'] }),
);

/** A JSON object that headers can contain. */
export const JsonObjectSchema = v.pipe(
  JsonSchema,
  v.check((value: Json) => isObject(value), 'Give it as an object: {"name": value}.'),
);
