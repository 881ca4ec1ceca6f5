import type { Capture, Facts } from './message.ts';

/** The facts of a capture, by the names of the members of dlq_captured that have them as they are. */
export const columns = {
  message_key: 'eventKey',
  consumer: 'consumer',
  redelivery: 'redelivery',
  attempt: 'attempt',
  delivery_id: 'deliveryId',
  origin: 'origin',
  publication: 'publication',
  failed_at: 'failedAt',
  event_type: 'eventType',
  event_id: 'eventId',
  content_type: 'contentType',
  error_reason: 'errorReason',
  error_stacktrace: 'errorStacktrace',
  error_class: 'errorClass',
  error_kind: 'errorKind',
  retry_after: 'retryAfter',
  max_retries: 'maxRetries',
  priority: 'priority',
  source_kind: 'sourceKind',
  source_topic: 'sourceTopic',
  source_partition: 'sourcePartition',
  source_offset: 'sourceOffset',
  source_key: 'sourceKey',
  source_key_bytes: 'sourceKeyBase64',
  source_subscription: 'sourceSubscription',
  consumer_group: 'consumerGroup',
  source_attempts: 'sourceAttempts',
  trace_id: 'traceId',
  occurred_at: 'occurredAt',
  metadata: 'metadata',
} as const satisfies Record<string, keyof Capture>;

const { content_type: _, message_key: __, ...facts } = columns;

/** The facts of a message of which nothing is known. */
export const noFacts = {
  ...Object.fromEntries(Object.values(facts).map((fact) => [fact, null])),
  ...{ eventType: 'unknown', sourceKind: 'unknown', hasEmptyValue: false, ignored: [] },
} as unknown as Omit<Facts, 'eventKey' | 'isTypeTold'>;
