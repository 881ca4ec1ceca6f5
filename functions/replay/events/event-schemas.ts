import { object, text, textOrNull, time, timeOrNull } from '../api/schema-parts.ts';

const integer = { type: 'integer' };
const integerOrNull = { type: ['integer', 'null'] };

const summary = {
  id: text,
  eventType: text,
  status: { $ref: '#/components/schemas/Status' },
  priority: { ...integer, description: 'Of the events that are due the lower goes first.' },
  errorReason: text,
  errorClass: textOrNull,
  failureKind: { enum: ['transient', 'permanent', 'ambiguous', null] },
  fingerprint: textOrNull,
  sourceKind: text,
  sourceTopic: textOrNull,
  sourceSubscription: textOrNull,
  consumerGroup: textOrNull,
  key: textOrNull,
  eventId: { ...textOrNull, description: 'The id that its producer gave it.' },
  traceId: textOrNull,
  retryCount: { ...integer, description: 'Retries that failed.' },
  failureCount: { ...integer, description: 'How often it failed at its consumer.' },
  capturedAt: time,
  failedAt: { ...time, description: 'When it failed at its consumer, the last time.' },
  occurredAt: timeOrNull,
  retryAfter: time,
  processedAt: { ...timeOrNull, description: 'When it was closed.' },
};

/** What a list tells of an event. */
export const eventSummarySchema = object({
  ...summary,
  errorReason: { ...text, description: 'Its first 1000 characters.' },
});

/** Everything about one event. */
export const eventSchema = object({
  ...summary,
  errorStacktrace: textOrNull,
  sourcePartition: integerOrNull,
  sourceOffset: textOrNull,
  maxRetries: integerOrNull,
  firstFailedAt: time,
  leaseExpiresAt: timeOrNull,
  isArchived: { type: 'boolean' },
  headers: { type: 'object' },
  metadata: {},
  contentType: textOrNull,
  payloadEncoding: { enum: ['json', 'text', 'base64', 'none'] },
  payload: { description: 'The message for queries; null where it has more than a mebibyte.' },
  payloadBytes: integer,
  bodyBase64: {
    ...textOrNull,
    description: 'Its exact bytes; null where they are more than a mebibyte, or none were kept.',
  },
  bodyBytes: integerOrNull,
});

/** One delivery. */
export const attemptSchema = object({
  id: text,
  runId: textOrNull,
  number: integer,
  outcome: { enum: ['delivered', 'transient', 'permanent', 'ambiguous', 'lost'] },
  target: text,
  startedAt: time,
  durationMs: integer,
  responseStatus: integerOrNull,
  responseBody: textOrNull,
  error: textOrNull,
});
