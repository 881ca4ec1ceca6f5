import * as v from 'valibot';
import { isRelative } from '../../time-text.ts';
import { type FieldName, fields, type filterFields } from './filter-fields.ts';

type Fields = typeof filterFields;
type Entries = { [Name in FieldName]: v.ExactOptionalSchema<Fields[Name]['kind']['schema'], undefined> };

const entries = Object.fromEntries(
  fields.map(({ name, kind, description }): [string, v.GenericSchema] => [
    name,
    v.exactOptional(v.pipe(kind.schema, v.description(description))),
  ]),
) as Entries;

/**
 * The events that an operation concerns: every condition must hold, and at least one value of a list.
 * `docs/filter.md` describes the fields. Times may be relative; freezeFilter makes them absolute.
 */
export const FilterSchema = v.pipe(
  v.strictObject(entries, 'Give the filter as an object: {"eventType": "order.*"}.'),
  v.metadata({
    description:
      'Selects events: every condition must hold, and at least one value of a list. In a glob `*` matches any characters.',
    examples: [{ eventType: 'order.*', status: 'FAILED_PERMANENTLY', failedAfter: '24h' }],
  }),
  // A raw check runs even if another field is wrong, so that all problems are reported together.
  v.rawCheck(({ dataset, addIssue }) => findReversed(dataset.value).forEach(addIssue)),
  v.readonly(),
);

export type Filter = v.InferOutput<typeof FilterSchema>;

/** A filter with at least one condition, as every change of events requires. */
export const SelectiveFilterSchema = v.pipe(
  FilterSchema,
  v.minEntries(1, 'Name at least one condition: a filter without any matches every event.'),
);

/** The fields such as `failedAfter` whose time is not before that of `failedBefore`. */
function findReversed(value: unknown): v.RawCheckIssueInfo<unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const input = Object.fromEntries(Object.entries(value));
  const now = new Date();
  return fields.flatMap(({ name: after, kind }) => {
    const before = after.replace(/After$/, 'Before');
    const [from, to] = [input[after], input[before]];
    if (before === after || !v.is(kind.schema, from) || !v.is(kind.schema, to)) return [];
    // A relative and an absolute time cannot be compared before the time of the request is known.
    const isOpen = isRelative(`${from}`) !== isRelative(`${to}`);
    if (isOpen || `${kind.freeze?.(from, now)}` < `${kind.freeze?.(to, now)}`) return [];
    const message = `Must be earlier than ${before}: as it is, nothing can match.`;
    return [{ message, path: [{ type: 'object', origin: 'value', input, key: after, value: from }] }];
  });
}
