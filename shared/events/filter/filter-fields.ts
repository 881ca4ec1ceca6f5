import { messageFacts } from '../../delivery/leased-event.ts';
import { column, type FilterKind, index, scan } from './filter-kind.ts';
import { globs, identifiers, identity, ids, mentions, oneOf, status } from './list-kinds.ts';
import { range, run } from './number-kinds.ts';
import { json, jsonObject, words } from './text-kinds.ts';
import { dueAfter, dueBefore, period } from './time-kinds.ts';

const maxInteger = 2_147_483_647;

const identifying = ['event.event_id', 'event.source_key', 'event.trace_id'] as const;
const summarized = [
  'event.event_type',
  'event.error_class',
  'event.error_reason',
  'event.consumer_group',
  ...identifying,
] as const;

/**
 * Every field of a filter, in the order in which the text form prints them: its kind, its source, which is
 * columns or expressions over `dlq_events as event` and the cost of a search by them, an example as text, and
 * when it holds. A new field is one entry; `npm run renew` writes its row in docs/filter.md.
 */
export const filterFields = {
  text: words(
    scan(...summarized),
    'text:refused',
    'its type, error class, error, consumer group, key, event id or trace id',
  ),
  identifier: identifiers(
    index(...identifying),
    'identifier:ORD-4711',
    'Its id, event id, key or trace id is one of these, as written or all in upper or lower case.',
  ),
  mention: mentions(
    index(...identifying, 'event.error_reason', 'event.payload::text', 'event.headers::text'),
    'mention:ORD-10231',
    'The same, or one of the first 6 values in its error, payload and headers that look like ids is one of these.',
  ),
  anywhere: words(
    scan(...summarized, 'event.headers::text', 'event.payload::text'),
    'anywhere:refused',
    'one of the fields of `text`, in its headers or its payload',
  ),
  ids: ids(index('event.id'), 'id:7,8', 'The event has one of these ids.'),
  eventType: globs(column('event.event_type'), 'type:order.*', 'type'),
  status: status(index('event.status'), 'status:FAILED_PERMANENTLY', 'Its status is one of these.'),
  errorText: words(scan('event.error_reason'), 'error:"timed out"', 'its error'),
  answer: words(
    scan('event.answer'),
    'answer:"HTTP 422"',
    'what a target answered to its latest failed delivery',
  ),
  errorClass: globs(column('event.error_class'), 'class:*TimeoutException', 'error class'),
  fingerprint: oneOf(
    index('event.fingerprint'),
    'fingerprint:v3:5c2a',
    'It belongs to one of these error groups, or to one that was merged into them.',
  ),
  sourceKind: globs(column('event.source_kind'), 'kind:kafka', 'source kind'),
  sourceTopic: globs(column('event.source_topic'), 'topic:orders', 'topic'),
  sourceSubscription: globs(column('event.source_subscription'), 'subscription:orders-*', 'subscription'),
  consumerGroup: globs(column('event.consumer_group'), 'group:billing', 'consumer group'),
  key: identity(
    index('event.source_key'),
    'key:customer-17',
    'Its ordering key, or the key of its Kafka record,',
  ),
  eventId: identity(index('event.event_id'), 'event:pay-41989', 'The id that its producer assigned'),
  traceId: identity(index('event.trace_id'), 'trace:4bf92f3577b34da6', 'Its trace id'),
  ...period('captured', index('event.created_at'), 'It was captured'),
  ...period('failed', index('event.last_failure_at'), 'It last failed at its consumer'),
  ...period('occurred', column('event.occurred_at'), 'According to its producer it occurred'),
  dueAfter: dueAfter(
    index('event.retry_after'),
    'due:>1h',
    'It is open, no worker is delivering it, and its next retry is later than this time.',
  ),
  dueBefore: dueBefore(
    index('event.retry_after'),
    'due:<1h',
    'It is open, no worker is delivering it, and its next retry is at this time or earlier.',
  ),
  retryCount: range(0, maxInteger)(column('event.retry_count'), 'retries:>3', 'number of failed retries'),
  failureCount: range(1, maxInteger)(
    column('event.failure_count'),
    'failures:>=2',
    'number of failures at its consumer',
  ),
  priority: range(-32_768, 32_767)(column('event.priority'), 'priority:<0', 'priority'),
  bytes: range(0, maxInteger)(scan(messageFacts.bytes), 'bytes:>1000', 'number of bytes'),
  run: run(index('event.id'), 'run:26/failed', 'A replay selected it, or it has this outcome there.'),
  payload: json(
    scan('event.payload'),
    'payload:{"customer":{"id":7}}',
    'Its payload contains this JSON (`@>`).',
  ),
  payloadText: words(
    scan('event.payload::text'),
    'contains:ORD-4711',
    'its payload, as PostgreSQL prints its JSON',
  ),
  headers: jsonObject(
    scan('event.headers'),
    'headers:{"x-tenant":"7"}',
    'Its headers contain this JSON object (`@>`).',
  ),
};

type FilterFields = typeof filterFields;
export type FieldName = keyof FilterFields;

/** The name of a kind of comparison. */
export type KindName = FilterFields[FieldName]['kind']['name'];

/** An entry of `filterFields`, whichever it is. */
export type FilterField = Omit<FilterFields[FieldName], 'kind'> & { readonly kind: FilterKind<KindName> };

/** The fields in their order. */
export const fields = Object.entries<FilterField>(filterFields).map(([name, field]) => ({
  ...field,
  name: name as FieldName,
}));

/** The fields that a filter has. */
export function fieldsIn(filter: { readonly [Name in FieldName]?: unknown }) {
  return fields.filter(({ name }) => filter[name] !== undefined);
}

/** Whether each event is compared with a filter, and the planner has to guess how many match. */
export function isGuessed(filter: Parameters<typeof fieldsIn>[0]): boolean {
  return fieldsIn(filter).some(({ cost }) => cost === 'scan');
}
