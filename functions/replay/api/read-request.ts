import * as v from 'valibot';
import { check } from '../../../shared/config/validate.ts';
import { InputError } from '../../../shared/errors.ts';
import { EventIdSchema } from '../../../shared/events/event-id.ts';

/** Parameters by name. */
export type Schemas = Readonly<Record<string, v.GenericSchema>>;

/** The schemas of what a request carries. */
export type DescribedRequest = {
  /** The parameters of its path, in their order. */
  readonly params?: Schemas;
  readonly query?: Schemas;
  readonly body?: v.GenericSchema;
};

/** The values of a request as they were sent; `body` is undefined if it has none. */
export type SentValues = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
};

/** Returns the valid values of a request. Throws InputError; a repeated parameter is a problem. */
export function readRequest(described: DescribedRequest, { params, query, body }: SentValues) {
  const { body: bodySchema = v.unknown() } = described;
  const checked = {
    params: check(v.object({ ...described.params }), params),
    query: check(v.strictObject({ ...described.query }), Object.fromEntries(query)),
    body: check(bodySchema, body === undefined && v.is(bodySchema, {}) ? {} : body),
  };
  const names = [...new Set(query.keys())].filter((name) => query.getAll(name).length > 1);
  const repeated = names.map((field) => ({ field, value: query.getAll(field), remedy: 'Give it once.' }));
  const problems = Object.values(checked).flatMap((each) => (each.ok ? [] : each.problems));
  const all = [...repeated, ...problems];
  if (all.length > 0 || !checked.params.ok || !checked.query.ok || !checked.body.ok)
    throw new InputError(all);
  return { params: checked.params.value, query: checked.query.value, body: checked.body.value };
}

/** The id of an event in a path. */
export const EventParam = v.pipe(EventIdSchema, v.description('The id of an event.'));

/** The id of a run in a path; it has the form of an event's id. */
export const RunParam = v.pipe(EventIdSchema, v.description('The id of a run.'));

/** The id of an entry of the audit in a path; it has the form of an event's id. */
export const AuditParam = v.pipe(EventIdSchema, v.description('The id of an entry of the audit.'));
