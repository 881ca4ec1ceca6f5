import type { Description } from '../../api/resource.ts';
import { count, object, text, timeOrNull } from '../../api/schema-parts.ts';

const listOf = (items: Description) => ({ type: 'array', items });

const group = object({
  count: { ...count, description: 'How many there are in all.' },
  largest: listOf(
    object(
      {
        value: { type: ['string', 'null'] },
        events: count,
        errorClass: { type: ['string', 'null'] },
        errorReason: { ...text, description: 'The error of one of them.' },
      },
      ['errorClass', 'errorReason'],
    ),
  ),
});

const bytes = object({ base64: text });

/** A message before or after it is edited. */
export const shownSchema = object({ body: { oneOf: [text, bytes] }, headers: { type: 'object' } });

const sample = object(
  {
    id: text,
    eventType: text,
    status: { $ref: '#/components/schemas/Status' },
    capturedAt: { type: 'string', format: 'date-time' },
    errorReason: text,
    before: { $ref: '#/components/schemas/Shown' },
    after: { $ref: '#/components/schemas/Shown' },
    skipped: object({ reason: { const: 'patch' }, detail: text }),
  },
  ['before', 'after', 'skipped'],
);

/** How the OpenAPI document describes a preview. */
export const previewSchemas: Description = {
  Shown: shownSchema,
  RunPreview: object({
    dryRun: { const: true },
    selected: count,
    oldest: timeOrNull,
    newest: timeOrNull,
    leftOut: listOf(object({ reason: text, events: count, meaning: text })),
    routes: listOf(
      object({ match: { type: 'object' }, target: text, ordered: { type: 'boolean' }, events: count }),
    ),
    targets: listOf(
      object(
        {
          target: text,
          kind: { enum: ['http', 'pubsub', 'kafka-rest'] },
          events: count,
          subscriptions: {
            type: ['integer', 'null'],
            description: 'Of a topic: each of them gets every event. Null where that could not be asked.',
          },
          advice: text,
        },
        ['subscriptions', 'advice'],
      ),
    ),
    eventTypes: group,
    statuses: group,
    errorGroups: group,
    samples: listOf(sample),
  }),
};
