import * as v from 'valibot';
import { check, unwrap } from '../../../shared/config/validate.ts';
import { InputError } from '../../../shared/errors.ts';
import { EventIdSchema } from '../../../shared/events/event-id.ts';

/** Returns `input` as its schema types it; `field` names it in problems. Throws InputError with every problem. */
export function checkInput<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  field?: string,
): v.InferOutput<Schema> {
  return unwrap(check(schema, input, field));
}

/** The parameters of a query. Throws InputError with every problem; a repeated parameter is one. */
export function checkQuery<Schema extends v.GenericSchema>(
  schema: Schema,
  query: URLSearchParams,
): v.InferOutput<Schema> {
  const names = [...new Set(query.keys())].filter((name) => query.getAll(name).length > 1);
  const repeated = names.map((field) => ({ field, value: query.getAll(field), remedy: 'Give it once.' }));
  const checked = check(schema, Object.fromEntries(query));
  const problems = [...repeated, ...(checked.ok ? [] : checked.problems)];
  if (!checked.ok || problems.length > 0) throw new InputError(problems);
  return checked.value;
}

/** The id of an event in a path. */
export const EventParam = v.pipe(EventIdSchema, v.description('The id of an event.'));

/** The id of a run in a path; it has the form of an event's id. */
export const RunParam = v.pipe(EventIdSchema, v.description('The id of a run.'));
