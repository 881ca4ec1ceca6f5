import { EventIdSchema } from '../event-id.ts';
import { DueTimeSchema, FilterTimeSchema } from './filter-time.ts';
import {
  JsonObjectSchema,
  oneOrMore,
  RunSelectionSchema,
  rangeOf,
  StatusSchema,
  statuses,
  TextSchema,
} from './filter-values.ts';
import { JsonSchema } from './json-schema.ts';

/** A kind of comparison with a column, and the values that it accepts. */
const field =
  <const Kind extends string, Schema>(kind: Kind, schema: Schema) =>
  (column: string, word: string, description: string) => ({ kind, schema, column, word, description });

const ids = field('ids', oneOrMore(EventIdSchema, 10_000));
const status = field('status', oneOrMore(StatusSchema, statuses.length));
const texts = field('one of', oneOrMore(TextSchema, 1000));
const globs = field('globs', oneOrMore(TextSchema, 100));
const substring = field('substring', TextSchema);
const words = field('words', oneOrMore(TextSchema, 10));
const identifiers = field('identifiers', oneOrMore(TextSchema, 1000));
const after = field('after', FilterTimeSchema);
const before = field('before', FilterTimeSchema);
const dueAfter = field('due after', DueTimeSchema);
const dueBefore = field('due before', DueTimeSchema);
const run = field('run', RunSelectionSchema);
const retries = field('range', rangeOf(0, 2_147_483_647));
const failures = field('range', rangeOf(1, 2_147_483_647));
const priority = field('range', rangeOf(-32_768, 32_767));
const json = field('contains', JsonSchema);
const jsonObject = field('contains', JsonObjectSchema);

/**
 * Every field of a filter, in the order in which the text form prints them: the column of `dlq_events` that
 * it is compared with, or several, its word in the text form, and when it holds. A new field is one line.
 */
export const filterFields = {
  text: words(
    'event_type error_class error_reason consumer_group source_key event_id trace_id',
    'text',
    'Each of these texts is in its type, error class, error, consumer group, key, event id or trace id, in upper or lower case.',
  ),
  identifier: identifiers(
    'event_id source_key trace_id',
    'identifier',
    'Its id, event id, key or trace id is one of these, as written or all in upper or lower case.',
  ),
  ids: ids('id', 'id', 'The event has one of these ids.'),
  eventType: globs('event_type', 'type', 'Its type matches one of these globs.'),
  status: status('status', 'status', 'Its status is one of these.'),
  errorText: substring('error_reason', 'error', 'Its error contains the text, in upper or lower case.'),
  answer: substring(
    'answer',
    'answer',
    'What a target answered to its latest failed delivery contains the text, in upper or lower case.',
  ),
  errorClass: globs('error_class', 'class', 'Its error class matches one of these globs.'),
  fingerprint: texts(
    'fingerprint',
    'fingerprint',
    'It belongs to one of these error groups, or to one that was merged into them.',
  ),
  sourceKind: globs('source_kind', 'kind', 'Its source kind matches one of these globs.'),
  sourceTopic: globs('source_topic', 'topic', 'Its topic matches one of these globs.'),
  sourceSubscription: globs(
    'source_subscription',
    'subscription',
    'Its subscription matches one of these globs.',
  ),
  consumerGroup: globs('consumer_group', 'group', 'Its consumer group matches one of these globs.'),
  key: texts('source_key', 'key', 'Its ordering key, or the key of its Kafka record, is one of these.'),
  eventId: texts('event_id', 'event', 'The id that its producer assigned is one of these.'),
  traceId: texts('trace_id', 'trace', 'It belongs to one of these traces.'),
  capturedAfter: after('created_at', 'captured', 'It was captured at this time or later.'),
  capturedBefore: before('created_at', 'captured', 'It was captured before this time.'),
  failedAfter: after('last_failure_at', 'failed', 'It last failed at its consumer at this time or later.'),
  failedBefore: before('last_failure_at', 'failed', 'It last failed at its consumer before this time.'),
  occurredAfter: after(
    'occurred_at',
    'occurred',
    'According to its producer it occurred at this time or later.',
  ),
  occurredBefore: before(
    'occurred_at',
    'occurred',
    'According to its producer it occurred before this time.',
  ),
  dueAfter: dueAfter(
    'retry_after',
    'due',
    'It is open, no worker is delivering it, and its next retry is later than this time.',
  ),
  dueBefore: dueBefore(
    'retry_after',
    'due',
    'It is open, no worker is delivering it, and its next retry is at this time or earlier.',
  ),
  retryCount: retries('retry_count', 'retries', 'Its number of failed retries is in this range.'),
  failureCount: failures(
    'failure_count',
    'failures',
    'Its number of failures at its consumer is in this range.',
  ),
  priority: priority('priority', 'priority', 'Its priority is in this range; the lowest number goes first.'),
  run: run('id', 'run', 'A replay selected it, or it has this outcome there.'),
  payload: json('payload', 'payload', 'Its payload contains this JSON (`@>`).'),
  payloadText: substring(
    'payload::text',
    'contains',
    'Its payload, as PostgreSQL prints its JSON, contains the text, in upper or lower case.',
  ),
  headers: jsonObject('headers', 'headers', 'Its headers contain this JSON object (`@>`).'),
};

const unindexedKinds: readonly string[] = ['words', 'substring', 'contains'];

/** The fields that no index answers: a search reads one event after the other for them. */
export const unindexedFields: ReadonlySet<string> = new Set(
  Object.entries(filterFields).flatMap(([name, { kind }]) => (unindexedKinds.includes(kind) ? name : [])),
);

type FilterFields = typeof filterFields;
export type FieldName = keyof FilterFields;

/** How a field is compared with its column. */
export type FieldKind = FilterFields[FieldName]['kind'];

/** An entry of `filterFields`, whichever it is. */
export type FilterField = FilterFields[FieldName];
