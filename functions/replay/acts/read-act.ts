import * as v from 'valibot';
import { InputError } from '../../../shared/errors.ts';
import type { Status } from '../../../shared/events.ts';
import { type Filter, FilterSchema } from '../../../shared/filter/filter-schema.ts';
import { readFilter } from '../../../shared/filter/read-filter.ts';
import { toStorableText } from '../../../shared/storable-text.ts';
import { type Checked, check } from '../../../shared/validate.ts';
import type { ApiRequest } from '../api/resource.ts';

/** What a request for any act says: which events, why, and whether it is only to be told what would happen. */
export const actEntries = {
  filter: v.pipe(
    FilterSchema,
    v.check(
      (filter) => Object.keys(filter).length > 0,
      'Name at least one condition: without any, every event is meant.',
    ),
  ),
  reason: v.pipe(
    v.string('Say why, as text.'),
    v.trim(),
    v.nonEmpty('Say why: the audit keeps it.'),
    v.maxLength(1000, 'Must have at most 1000 characters.'),
    v.transform((text) => toStorableText(text)),
  ),
  dryRun: v.exactOptional(v.boolean('Use true or false.'), false),
};

/** The request for an act, with the times of its filter made absolute. Throws InputError with all that is wrong. */
export function readAct<Request extends { readonly filter: Filter }>(
  schema: v.GenericSchema<unknown, Request>,
  { body, now }: ApiRequest,
): Request {
  const wanted = unwrap(check(schema, body));
  return { ...wanted, filter: unwrap(readFilter(wanted.filter, { now, at: 'filter' })) };
}

/** The filter for those events that an act can be done to. Throws InputError where it asks for none of them. */
export function narrowStatus(filter: Filter, statuses: readonly Status[]): Filter {
  const status = statuses.filter((each) => filter.status?.includes(each) ?? true);
  if (status.length > 0) return { ...filter, status };
  const remedy = `Ask for events that this can be done to: ${statuses.join(', ')}.`;
  throw new InputError([{ field: 'filter.status', value: filter.status, remedy }]);
}

function unwrap<Value>(checked: Checked<Value>): Value {
  if (!checked.ok) throw new InputError(checked.problems);
  return checked.value;
}
