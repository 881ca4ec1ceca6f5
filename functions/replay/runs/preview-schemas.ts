import * as v from 'valibot';
import {
  count,
  described,
  object,
  Status,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../../../shared/events/response-values.ts';

const bytes = v.strictObject({ base64: text });
const textOrBytes = v.union([text, bytes]);

/** A message before or after an edit. */
export const MessageSchema = v.strictObject({
  body: textOrBytes,
  headers: v.record(v.string(), v.union([text, bytes, v.pipe(v.array(textOrBytes), v.readonly())])),
});

/** The members of an event that a replay edits. */
export const changeEntries = {
  before: v.exactOptional(MessageSchema),
  after: v.exactOptional(MessageSchema),
  skipped: v.exactOptional(v.strictObject({ reason: v.literal('patch'), detail: text })),
};

const listOf = <Item extends v.GenericSchema>(item: Item) => v.pipe(v.array(item), v.readonly());

/** The groups of selected events, by type, status or error. */
export const PreviewGroupSchema = v.strictObject({
  count: described(count, 'The number of all groups.'),
  largest: listOf(
    v.strictObject({
      value: textOrNull,
      events: count,
      errorClass: v.exactOptional(textOrNull),
      errorReason: v.exactOptional(described(text, 'The error of one event.')),
    }),
  ),
});

/** The preview of a run. */
export const PreviewSchema = v.strictObject({
  dryRun: v.literal(true),
  selected: count,
  oldest: timeOrNull,
  newest: timeOrNull,
  excluded: listOf(v.strictObject({ reason: text, events: count, meaning: text })),
  routes: listOf(v.strictObject({ match: object, target: text, ordered: v.boolean(), events: count })),
  targets: listOf(
    v.strictObject({
      target: text,
      kind: v.picklist(['http', 'pubsub', 'kafka-rest']),
      events: count,
      subscriptions: v.exactOptional(
        described(
          v.nullable(count),
          'The number of subscriptions of a topic, each of which gets every event; null if the function may not read it.',
        ),
      ),
      advice: v.exactOptional(text),
    }),
  ),
  eventTypes: PreviewGroupSchema,
  statuses: PreviewGroupSchema,
  errorGroups: PreviewGroupSchema,
  samples: listOf(
    v.strictObject({
      id: text,
      eventType: text,
      status: Status,
      capturedAt: time,
      errorReason: text,
      ...changeEntries,
    }),
  ),
});
