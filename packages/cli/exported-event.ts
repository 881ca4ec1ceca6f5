import type { ShownEvent } from './api/answers.ts';

/** Whether a line is an event as `dlo export` prints it. */
export function isExported(value: object): value is ShownEvent {
  return ['bodyBase64', 'payloadEncoding', 'errorReason', 'capturedAt'].every((name) => name in value);
}

/** The report of the failure of an exported event: the same message, reason and origin. */
export function toReport(event: ShownEvent): object {
  const { eventType, eventId, contentType, headers, occurredAt, failedAt, payloadEncoding } = event;
  return withoutNulls({
    eventType,
    eventId,
    payloadBase64: payloadEncoding === 'none' ? null : event.bodyBase64,
    contentType,
    headers,
    error: withoutNulls({
      class: event.errorClass,
      message: event.errorReason,
      stack: event.errorStacktrace,
      kind: event.status === 'FAILED_PERMANENTLY' ? 'permanent' : null,
    }),
    source: withoutNulls({
      topic: event.sourceTopic,
      partition: event.sourcePartition,
      offset: event.sourceOffset,
      key: event.key,
      subscription: event.sourceSubscription,
      consumerGroup: event.consumerGroup,
    }),
    occurredAt,
    failedAt,
  });
}

function withoutNulls(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
