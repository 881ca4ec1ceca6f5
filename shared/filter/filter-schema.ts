import * as v from 'valibot';
import { mayBeId } from '../largest-id.ts';
import { toStorableText } from '../storable-text.ts';
import { FilterTimeSchema, measureAge } from './filter-time.ts';
import { type Json, JsonSchema } from './json-schema.ts';

const statuses = ['PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED'] as const;

/** One value or a list of them; always a list afterwards, each value once. */
const oneOrMore = <Output extends string>(item: v.GenericSchema<unknown, Output>, most: number) => {
  const list = v.pipe(
    v.array(item),
    v.minLength(1, 'Must not be empty: leave the field out to match everything.'),
    v.maxLength(most, `Give at most ${most}.`),
  );
  const one = v.pipe(
    item,
    v.transform((value) => [value]),
  );
  return v.pipe(
    // Not a union, which could not say what is wrong with which element.
    v.lazy((input): v.GenericSchema<unknown, Output[]> => (Array.isArray(input) ? list : one)),
    v.transform((values): readonly Output[] => [...new Set(values)]),
  );
};

const text = v.pipe(
  v.string('Give it as text.'),
  v.nonEmpty('Must not be empty: leave the field out to match everything.'),
  v.maxLength(1000, 'Must have at most 1000 characters.'),
  // An event holds no text that PostgreSQL cannot store: one that was captured with such characters has others instead.
  v.transform((value) => toStorableText(value)),
);

const wholeNumber = v.pipe(v.number(), v.safeInteger('Give a whole number, and one above 2^53 as text.'));

/** An event's id as text: a bigint does not fit into a number. */
export const EventIdSchema = v.pipe(
  v.union([v.string(), wholeNumber], 'Give an id as text or as a whole number.'),
  v.transform(String),
  v.regex(/^[1-9]\d{0,18}$/, 'An id is a positive whole number.'),
  // As text, because a check is made of what is no number, too.
  v.check(mayBeId, 'An id is less than 2^63.'),
);

const status = v.pipe(
  v.string('Give it as text.'),
  v.toUpperCase(),
  v.picklist(statuses, `Use one of ${statuses.join(', ')}.`),
);

/** Not a list, which valibot would take for an object without fields. */
const object = (remedy: string) => v.custom<object>(isObject, remedy);

const count = (least: number, most: number) => {
  const remedy = `Give a whole number from ${least} to ${most}.`;
  const bound = v.exactOptional(
    v.pipe(v.number(remedy), v.integer(remedy), v.minValue(least, remedy), v.maxValue(most, remedy)),
  );
  const shape = 'Give {"min": number}, {"max": number}, or both.';
  return v.pipe(
    object(shape),
    v.strictObject({ min: bound, max: bound }),
    v.check((range) => Object.keys(range).length > 0, shape),
    v.check(
      ({ min = least, max = Math.max(min, most) }) => min <= max,
      'Its min is above its max: swap them.',
    ),
    v.readonly(),
  );
};

const largestInteger = 2_147_483_647;
const globs = v.exactOptional(oneOrMore(text, 100));
const texts = v.exactOptional(oneOrMore(text, 1000));
const time = v.exactOptional(FilterTimeSchema);

const FieldsSchema = v.strictObject({
  ids: v.exactOptional(oneOrMore(EventIdSchema, 10_000)),
  eventType: globs,
  status: v.exactOptional(oneOrMore(status, statuses.length)),
  errorText: v.exactOptional(text),
  errorClass: globs,
  fingerprint: texts,
  sourceKind: globs,
  sourceTopic: globs,
  sourceSubscription: globs,
  consumerGroup: globs,
  key: texts,
  eventId: texts,
  traceId: texts,
  capturedAfter: time,
  capturedBefore: time,
  failedAfter: time,
  failedBefore: time,
  occurredAfter: time,
  occurredBefore: time,
  retryCount: v.exactOptional(count(0, largestInteger)),
  failureCount: v.exactOptional(count(1, largestInteger)),
  priority: v.exactOptional(count(-32_768, 32_767)),
  payload: v.exactOptional(JsonSchema),
  headers: v.exactOptional(
    v.pipe(
      JsonSchema,
      v.check((value: Json) => isObject(value), 'Give it as an object: {"name": value}.'),
    ),
  ),
});

/**
 * Which events are meant: every condition must hold, of a list one value has to. `docs/filter.md` tells what each means.
 * Times may be relative; freezeFilter makes them absolute.
 */
export const FilterSchema = v.pipe(
  object('Give the filter as an object: {"eventType": "order.*"}.'),
  FieldsSchema,
  // Whatever else is wrong, so that every problem is told at once.
  v.rawCheck(({ dataset, addIssue }) => findReversed(dataset.value).forEach(addIssue)),
  v.readonly(),
);

export type Filter = v.InferOutput<typeof FilterSchema>;

const periods = [
  ['capturedAfter', 'capturedBefore'],
  ['failedAfter', 'failedBefore'],
  ['occurredAfter', 'occurredBefore'],
] as const;

function findReversed(value: unknown): v.RawCheckIssueInfo<unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const input = Object.fromEntries(Object.entries(value));
  return periods.flatMap(([after, before]) => {
    const [from, to] = [input[after], input[before]];
    if (!v.is(FilterTimeSchema, from) || !v.is(FilterTimeSchema, to) || isEarlier(from, to)) return [];
    const message = `Must be earlier than ${before}: as it is, nothing can match.`;
    return [{ message, path: [{ type: 'object', origin: 'value', input, key: after, value: from }] }];
  });
}

/** Times of different kinds cannot be compared before it is known what time it is. */
function isEarlier(time: string, than: string): boolean {
  const [age, thanAge] = [measureAge(time), measureAge(than)];
  if (age !== undefined && thanAge !== undefined) return age > thanAge;
  return age !== undefined || thanAge !== undefined || new Date(time) < new Date(than);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
