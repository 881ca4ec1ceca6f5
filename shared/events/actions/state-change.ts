import type { Fragments } from '../../database/statement.ts';
import type { Status } from '../../message/event.ts';

const columns = [
  'status',
  'priority',
  'retry_count',
  'retry_after',
  'processed_at',
  'reopened_at',
  'cause',
  'lease_token',
  'lease_expires_at',
] as const;

/** Values of columns of `dlq_events`, as text or JSON; `now` is the time of the change. */
export type StateChange = { readonly status?: Status } & {
  readonly [Column in Exclude<(typeof columns)[number], 'status'>]?: string | number | null;
};

/**
 * The SQL of a change, whose values are parameters with the names of their columns: its assignments, and a
 * condition that excludes events on which it would change nothing.
 */
export function toFragments(change: StateChange): Fragments {
  const changed = columns.filter((column) => change[column] !== undefined);
  const isOther = changed.map((column) => `event.${column} is distinct from :${column}`).join(' or ');
  return {
    assignments: changed.map((column) => `${column} = :${column}`).join(', '),
    // Any event of a status that the action can change gets another one.
    isOther: change.status === undefined ? `(${isOther})` : 'true',
  };
}
