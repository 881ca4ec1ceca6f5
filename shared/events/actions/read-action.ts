import * as v from 'valibot';
import { unwrap, validate } from '../../config/validate.ts';
import type { Database } from '../../database/database.ts';
import { toStorableText } from '../../database/storable-text.ts';
import { InputError } from '../../errors.ts';
import type { Status } from '../event.ts';
import { type Filter, SelectiveFilterSchema } from '../filter/filter-schema.ts';
import { readFilter } from '../filter/read-filter.ts';
import type { RequestedAction } from './run-action.ts';

/** A request for an action: its JSON, its sender, and the time from which relative times count back. */
export type ActionRequest = { readonly body: unknown; readonly actor: string; readonly now: Date };

/** Parses a request for an action. Throws InputError with every problem. */
export type ReadAction = (db: Database, request: ActionRequest) => RequestedAction;

/** The reason for an action. */
export const reasonEntry = v.pipe(
  v.string('Give the reason as text.'),
  v.trim(),
  v.nonEmpty('Give a reason: the audit records it.'),
  v.maxLength(1000, 'Must have at most 1000 characters.'),
  v.description('Why; recorded in the audit.'),
  v.transform((text) => toStorableText(text)),
);

/** The fields that every request for an action has. */
export const actionEntries = {
  filter: SelectiveFilterSchema,
  reason: reasonEntry,
  dryRun: v.exactOptional(
    v.pipe(v.boolean('Use true or false.'), v.description('Returns what would change, and changes nothing.')),
    false,
  ),
};

/** A request for any action, once validated. */
export type ActionInput = {
  readonly filter: Filter;
  readonly reason: string;
  readonly dryRun: boolean;
  readonly includeSucceeded?: boolean;
  readonly priority?: number;
};

/**
 * Validates a request against the schema of its action and makes the times of its filter absolute. Throws
 * InputError.
 */
export function readAction(
  schema: v.GenericSchema<unknown, ActionInput>,
  { body, now }: ActionRequest,
): ActionInput {
  const request = validate(schema, body);
  return { ...request, filter: unwrap(readFilter(request.filter, { now, at: 'filter' })) };
}

/**
 * Limits a filter to the statuses that an action can change. Throws InputError if it selects none of them.
 */
export function narrowStatus(filter: Filter, statuses: readonly Status[]): Filter {
  const status = statuses.filter((each) => filter.status?.includes(each) ?? true);
  if (status.length > 0) return { ...filter, status };
  const remedy = `Use a status that this action can change: ${statuses.join(', ')}.`;
  throw new InputError([{ field: 'filter.status', value: filter.status, remedy }]);
}
