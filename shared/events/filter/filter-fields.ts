import { EventIdSchema } from '../event-id.ts';
import { FilterTimeSchema } from './filter-time.ts';
import { JsonObjectSchema, oneOrMore, rangeOf, StatusSchema, statuses, TextSchema } from './filter-values.ts';
import { JsonSchema } from './json-schema.ts';

const maxInteger = 2_147_483_647;
const text = { kind: 'substring', schema: TextSchema } as const;
const texts = { kind: 'one of', schema: oneOrMore(TextSchema, 1000) } as const;
const globs = { kind: 'globs', schema: oneOrMore(TextSchema, 100) } as const;
const after = { kind: 'after', schema: FilterTimeSchema } as const;
const before = { kind: 'before', schema: FilterTimeSchema } as const;
const range = (minimum: number, maximum: number) =>
  ({ kind: 'range', schema: rangeOf(minimum, maximum) }) as const;

/**
 * Every field of a filter, in the order in which the text form prints them: the column of `dlq_events` and the kind of
 * comparison with it, the values that it accepts, its word in the text form, and when it holds. A new field is one entry.
 */
export const filterFields = {
  ids: {
    kind: 'ids',
    schema: oneOrMore(EventIdSchema, 10_000),
    column: 'id',
    word: 'id',
    description: 'The event has one of these ids.',
  },
  eventType: {
    ...globs,
    column: 'event_type',
    word: 'type',
    description: 'Its type matches one of these globs.',
  },
  status: {
    kind: 'status',
    schema: oneOrMore(StatusSchema, statuses.length),
    column: 'status',
    word: 'status',
    description: 'Its status is one of these.',
  },
  errorText: {
    ...text,
    column: 'error_reason',
    word: 'error',
    description: 'Its error contains the text, in upper or lower case.',
  },
  errorClass: {
    ...globs,
    column: 'error_class',
    word: 'class',
    description: 'Its error class matches one of these globs.',
  },
  fingerprint: {
    ...texts,
    column: 'fingerprint',
    word: 'fingerprint',
    description: 'It belongs to one of these error groups.',
  },
  sourceKind: {
    ...globs,
    column: 'source_kind',
    word: 'kind',
    description: 'Its source kind matches one of these globs.',
  },
  sourceTopic: {
    ...globs,
    column: 'source_topic',
    word: 'topic',
    description: 'Its topic matches one of these globs.',
  },
  sourceSubscription: {
    ...globs,
    column: 'source_subscription',
    word: 'subscription',
    description: 'Its subscription matches one of these globs.',
  },
  consumerGroup: {
    ...globs,
    column: 'consumer_group',
    word: 'group',
    description: 'Its consumer group matches one of these globs.',
  },
  key: {
    ...texts,
    column: 'source_key',
    word: 'key',
    description: 'Its ordering key, or the key of its Kafka record, is one of these.',
  },
  eventId: {
    ...texts,
    column: 'event_id',
    word: 'event',
    description: 'The id that its producer assigned is one of these.',
  },
  traceId: { ...texts, column: 'trace_id', word: 'trace', description: 'It belongs to one of these traces.' },
  capturedAfter: {
    ...after,
    column: 'created_at',
    word: 'captured',
    description: 'It was captured at this time or later.',
  },
  capturedBefore: {
    ...before,
    column: 'created_at',
    word: 'captured',
    description: 'It was captured before this time.',
  },
  failedAfter: {
    ...after,
    column: 'last_failure_at',
    word: 'failed',
    description: 'It last failed at its consumer at this time or later.',
  },
  failedBefore: {
    ...before,
    column: 'last_failure_at',
    word: 'failed',
    description: 'It last failed at its consumer before this time.',
  },
  occurredAfter: {
    ...after,
    column: 'occurred_at',
    word: 'occurred',
    description: 'According to its producer it occurred at this time or later.',
  },
  occurredBefore: {
    ...before,
    column: 'occurred_at',
    word: 'occurred',
    description: 'According to its producer it occurred before this time.',
  },
  retryCount: {
    ...range(0, maxInteger),
    column: 'retry_count',
    word: 'retries',
    description: 'Its number of failed retries is in this range.',
  },
  failureCount: {
    ...range(1, maxInteger),
    column: 'failure_count',
    word: 'failures',
    description: 'Its number of failures at its consumer is in this range.',
  },
  priority: {
    ...range(-32_768, 32_767),
    column: 'priority',
    word: 'priority',
    description: 'Its priority is in this range; the lowest number goes first.',
  },
  payload: {
    kind: 'contains',
    schema: JsonSchema,
    column: 'payload',
    word: 'payload',
    description: 'Its payload contains this JSON (`@>`).',
  },
  headers: {
    kind: 'contains',
    schema: JsonObjectSchema,
    column: 'headers',
    word: 'headers',
    description: 'Its headers contain this JSON object (`@>`).',
  },
} as const;

type FilterFields = typeof filterFields;
export type FieldName = keyof FilterFields;

/** How a field is compared with its column. */
export type FieldKind = FilterFields[FieldName]['kind'];

/** An entry of `filterFields`, whichever it is. */
export type FilterField = FilterFields[FieldName];
