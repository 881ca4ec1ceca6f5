import type { Status } from '../../../shared/events.ts';
import { filteredStatement } from '../../../shared/filtered-statement.ts';

/** An event as a row of a list. */
export type EventRow = {
  readonly id: string;
  readonly event_type: string;
  readonly status: Status;
  readonly error_class: string | null;
  readonly error_reason: string;
  readonly consumer_group: string | null;
  readonly retry_count: number;
  readonly failure_count: number;
  readonly created_at: Date;
  readonly last_failure_at: Date;
};

export const listEvents = filteredStatement<{ before: string; limit: number }, EventRow>('list-events');

export const countEvents = filteredStatement<{ most: number }, { readonly events: number }>('count-events');
