import type { Filter } from './filter-schema.ts';

/** How a field is compared with its column, and the word by which the text form of a filter names it. */
export type FilterField = {
  readonly column: string;
  readonly kind:
    | 'ids'
    | 'status'
    | 'one of'
    | 'globs'
    | 'substring'
    | 'after'
    | 'before'
    | 'range'
    | 'contains';
  readonly word: string;
};

/** Every field of a filter, in the order in which the text form prints them. */
export const filterFields = {
  ids: { column: 'id', kind: 'ids', word: 'id' },
  eventType: { column: 'event_type', kind: 'globs', word: 'type' },
  status: { column: 'status', kind: 'status', word: 'status' },
  errorText: { column: 'error_reason', kind: 'substring', word: 'error' },
  errorClass: { column: 'error_class', kind: 'globs', word: 'class' },
  fingerprint: { column: 'fingerprint', kind: 'one of', word: 'fingerprint' },
  sourceKind: { column: 'source_kind', kind: 'globs', word: 'kind' },
  sourceTopic: { column: 'source_topic', kind: 'globs', word: 'topic' },
  sourceSubscription: { column: 'source_subscription', kind: 'globs', word: 'subscription' },
  consumerGroup: { column: 'consumer_group', kind: 'globs', word: 'group' },
  key: { column: 'source_key', kind: 'one of', word: 'key' },
  eventId: { column: 'event_id', kind: 'one of', word: 'event' },
  traceId: { column: 'trace_id', kind: 'one of', word: 'trace' },
  capturedAfter: { column: 'created_at', kind: 'after', word: 'captured' },
  capturedBefore: { column: 'created_at', kind: 'before', word: 'captured' },
  failedAfter: { column: 'last_failure_at', kind: 'after', word: 'failed' },
  failedBefore: { column: 'last_failure_at', kind: 'before', word: 'failed' },
  occurredAfter: { column: 'occurred_at', kind: 'after', word: 'occurred' },
  occurredBefore: { column: 'occurred_at', kind: 'before', word: 'occurred' },
  retryCount: { column: 'retry_count', kind: 'range', word: 'retries' },
  failureCount: { column: 'failure_count', kind: 'range', word: 'failures' },
  priority: { column: 'priority', kind: 'range', word: 'priority' },
  payload: { column: 'payload', kind: 'contains', word: 'payload' },
  headers: { column: 'headers', kind: 'contains', word: 'headers' },
} as const satisfies Readonly<Record<keyof Filter, FilterField>>;
