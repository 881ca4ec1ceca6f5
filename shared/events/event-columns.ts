import * as v from 'valibot';
import { failureKinds } from '../delivery/targets/outcome.ts';
import { Status } from '../message/event.ts';
import {
  count,
  described,
  integer,
  integerOrNull,
  object,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../response-values.ts';

/** Columns by their names in responses: the SQL over `event`, the schema of the value, and what it says. */
type Columns = Readonly<Record<string, readonly [sql: string, schema: v.GenericSchema, about?: string]>>;
type SchemasOf<Given extends Columns> = { readonly [Name in keyof Given]: Given[Name][1] };

const replacement =
  '(select edit_id::text from dlq_audit_events where event_id = event.id and edit_id is not null ' +
  'and undone_by is null order by audit_id desc limit 1)';

/**
 * The columns of an event in lists, exports, its page and the API: a new column is one line here. Texts are
 * cut off after `{cut}` characters.
 */
const listed = {
  id: ['event.id::text', text],
  eventType: ['event.event_type', text],
  status: ['event.status', Status],
  priority: ['event.priority', integer, 'Of the events that are due, the lowest number goes first.'],
  errorReason: [
    'left(event.error_reason, {cut})',
    text,
    'Why its consumer failed, as it said last; what a target answered first if it said nothing. A list has its first 1000 characters.',
  ],
  errorClass: ['event.error_class', textOrNull],
  answer: ['event.answer', textOrNull, 'What a target answered to the latest delivery that failed.'],
  failureKind: [
    'event.failure_kind',
    v.nullable(v.picklist(failureKinds)),
    'Of the latest failure: as its consumer said, or the outcome of its delivery.',
  ],
  fingerprint: ['event.fingerprint', textOrNull],
  sourceKind: ['event.source_kind', text],
  sourceTopic: ['event.source_topic', textOrNull],
  sourceSubscription: ['event.source_subscription', textOrNull],
  consumerGroup: ['event.consumer_group', textOrNull],
  key: ['event.source_key', textOrNull],
  eventId: ['event.event_id', textOrNull, 'The id that its producer assigned.'],
  traceId: ['event.trace_id', textOrNull],
  retryCount: ['event.retry_count', count, 'The number of failed retries.'],
  failureCount: ['event.failure_count', count, 'The number of failures at its consumer.'],
  capturedAt: ['event.created_at', time],
  failedAt: ['event.last_failure_at', time, 'The latest failure at its consumer.'],
  occurredAt: ['event.occurred_at', timeOrNull],
  retryAfter: [`nullif(event.retry_after, 'infinity')`, timeOrNull],
  processedAt: ['event.processed_at', timeOrNull, 'When it was closed.'],
  editedFrom: [
    'event.edited_from::text',
    textOrNull,
    'Of an edit: the captured event whose message an operator edited.',
  ],
  replacedBy: [replacement, textOrNull, 'The edit that replaced it.'],
} satisfies Columns;

/** Columns that only the page of an event and the API have. */
const detailed = {
  errorStacktrace: ['left(event.error_stacktrace, {cut})', textOrNull],
  sourcePartition: ['event.source_partition', integerOrNull],
  sourceOffset: ['event.source_offset::text', textOrNull],
  sourceAttempts: ['event.source_attempts', integerOrNull, 'Attempts at its consumer.'],
  conflictsWith: [
    'event.conflicts_with::text',
    textOrNull,
    'The event that has the same id, with other content or other headers.',
  ],
  deliveryCount: [
    'event.delivery_count',
    count,
    'How often it was sent; `dlo-attempt` of its latest delivery.',
  ],
  maxRetries: ['event.max_retries', integerOrNull, 'Its own limit, instead of that of its route.'],
  firstFailedAt: ['event.first_failure_at', time],
  leaseExpiresAt: ['event.lease_expires_at', timeOrNull],
  reopenedAt: ['event.reopened_at', timeOrNull, 'When an operator opened it again, or restored it.'],
  isArchived: ['event.is_archived', v.boolean()],
  contentType: ['event.content_type', textOrNull],
  payloadEncoding: ['event.payload_encoding', v.picklist(['json', 'text', 'base64', 'none'])],
  isExact: [
    'event.is_exact',
    v.nullable(v.boolean()),
    'Whether it came as a message, not as the reprint of a report; null: from a bridge that may have changed its key and headers.',
  ],
} satisfies Columns;

const selectFrom = (columns: Columns) => (cut: string) =>
  Object.entries(columns)
    .map(([name, [sql]]) => `${sql} as "${name}"`)
    .join(', ')
    .replaceAll('{cut}', cut);

/** The columns of a list, as `select` has them. */
export const selectListed = selectFrom(listed);

/** Those of one event; `cut` is SQL. */
export const selectDetailed = selectFrom({ ...listed, ...detailed });

function schemasOf<Given extends Columns>(columns: Given) {
  const schemas = Object.entries(columns).map(([name, [, schema, about]]) => [
    name,
    about === undefined ? schema : described(schema, about),
  ]);
  return Object.fromEntries(schemas) as SchemasOf<Given>;
}

/** An event in a list. */
export const EventSummarySchema = v.strictObject(schemasOf(listed));

/** Columns that all answers about one event have. */
const detailEntries = { ...schemasOf(listed), ...schemasOf(detailed) };

/** One event in full, as `show-events.sql` writes it. */
export const EventSchema = v.strictObject({
  ...detailEntries,
  headers: described(v.nullable(object), 'Null if they are larger than 1 MiB.'),
  metadata: described(
    v.unknown(),
    'What its captures said beyond the other fields: `decided` by the consumer (`kind`, `retryAfter`, `maxRetries`, `priority`), `ignored` members and headers. Null if it is larger than 1 MiB.',
  ),
  payload: described(v.unknown(), 'The message for queries; null if it is larger than 1 MiB.'),
  payloadBytes: count,
  bodyBase64: described(textOrNull, 'Its exact bytes; null if there are more than 1 MiB.'),
  bodyBytes: count,
});

export type EventSummary = Readonly<v.InferOutput<typeof EventSummarySchema>>;
export type EventDetail = Readonly<v.InferOutput<v.StrictObjectSchema<typeof detailEntries, undefined>>>;
