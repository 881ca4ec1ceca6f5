import * as v from 'valibot';
import { statement } from '../database/statement.ts';
import { filteredStatement } from './filter/filtered-statement.ts';
import { findOrder, orders, type Position } from './filter/page-position.ts';
import {
  count,
  described,
  integer,
  integerOrNull,
  object,
  Status,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './response-values.ts';

const summary = {
  id: text,
  eventType: text,
  status: Status,
  priority: described(integer, 'Of the events that are due, the lowest number goes first.'),
  errorReason: text,
  errorClass: textOrNull,
  failureKind: described(
    v.nullable(v.picklist(['transient', 'permanent', 'ambiguous'])),
    'Of the latest failure: as its consumer said, or the outcome of its delivery.',
  ),
  fingerprint: textOrNull,
  sourceKind: text,
  sourceTopic: textOrNull,
  sourceSubscription: textOrNull,
  consumerGroup: textOrNull,
  key: textOrNull,
  eventId: described(textOrNull, 'The id that its producer assigned.'),
  traceId: textOrNull,
  retryCount: described(count, 'The number of failed retries.'),
  failureCount: described(count, 'The number of failures at its consumer.'),
  capturedAt: time,
  failedAt: described(time, 'The latest failure at its consumer.'),
  occurredAt: timeOrNull,
  retryAfter: time,
  processedAt: described(timeOrNull, 'When it was closed.'),
};

/** An event in a list. */
export const EventSummarySchema = v.strictObject({
  ...summary,
  errorReason: described(text, 'Its first 1000 characters.'),
});

/** One event in full, as `show-events.sql` writes it. */
export const EventSchema = v.strictObject({
  ...summary,
  errorStacktrace: textOrNull,
  firstErrorReason: described(
    textOrNull,
    'The reason of its first failure; null if it is that of the latest.',
  ),
  firstErrorClass: textOrNull,
  firstErrorStacktrace: textOrNull,
  sourcePartition: integerOrNull,
  sourceOffset: textOrNull,
  maxRetries: described(integerOrNull, 'Its own limit, instead of that of its route.'),
  firstFailedAt: time,
  leaseExpiresAt: timeOrNull,
  reopenedAt: described(timeOrNull, 'When an operator opened it again.'),
  isArchived: v.boolean(),
  headers: object,
  metadata: described(
    v.unknown(),
    'What its captures said beyond the other fields: `decided` by the consumer (`kind`, `retryAfter`, `maxRetries`, `priority`), `ignored` members and headers, `otherCaptures`.',
  ),
  contentType: textOrNull,
  payloadEncoding: v.picklist(['json', 'text', 'base64', 'none']),
  payload: described(v.unknown(), 'The message for queries; null if it is larger than 1 MiB.'),
  payloadBytes: count,
  bodyBase64: described(textOrNull, 'Its exact bytes; null if there are none, or more than 1 MiB.'),
  bodyBytes: integerOrNull,
});

/** A delivery that was tried. */
export const AttemptSchema = v.strictObject({
  id: text,
  runId: textOrNull,
  number: integer,
  outcome: v.picklist(['delivered', 'transient', 'permanent', 'ambiguous', 'lost']),
  target: text,
  startedAt: time,
  durationMs: integer,
  responseStatus: integerOrNull,
  responseBody: textOrNull,
  error: textOrNull,
});

export type EventSummary = Readonly<v.InferOutput<typeof EventSummarySchema>>;
export type AttemptSummary = Readonly<v.InferOutput<typeof AttemptSchema>>;

/** A row of a list. `time` is the time that the list is sorted by, in microseconds since 1970; null if by id. */
export type ListedEvent = EventSummary & { readonly time: string | null };

const listFrom = (table: string) =>
  filteredStatement<Position & { readonly max: number | null }, ListedEvent>(
    'list-events',
    import.meta.url,
    (filter) => ({ table, ...orders[findOrder(filter)] }),
  );

/** A page of the events that a filter matches. `max` null lists all of them, to estimate its cost. */
export const listEvents = listFrom('dlq_events');

/** The same for archived events. */
export const listArchivedEvents = listFrom('dlq_events_archive');

/** The number of events that a filter matches, at most `max`. */
export const countEvents = filteredStatement<{ max: number }, { readonly events: number }>(
  'count-events',
  import.meta.url,
);

/**
 * Events as JSON text, in the order of their ids, until the texts reach `maxTotal` bytes; null for an unknown id. Payloads and
 * bodies above `maxBytes` are null.
 */
export const showEvents = statement<
  { ids: readonly string[]; maxBytes: number; maxTotal: number },
  { readonly json: string | null }
>('show-events', import.meta.url);

/** The deliveries of an event from the newest on, those with an id below `before`. */
export const listEventAttempts = statement<{ eventId: string; before: string; max: number }, AttemptSummary>(
  'list-event-attempts',
  import.meta.url,
);
