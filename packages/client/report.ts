import { randomUUID } from 'node:crypto';
import { describeError } from './describe-error.ts';
import { findApplicationId } from './event-id.ts';
import { readFirstHeader, readHeader } from './header-texts.ts';
import type { MessageFacts } from './message-facts.ts';
import type { Options } from './options.ts';

/** A failure on its way to capture: it has the same key each time that it is sent. */
export type Report = {
  readonly idempotencyKey: string;
  /** When the consumer failed, in ms since 1970. */
  readonly failedAt: number;
  readonly body: string;
};

/** Pub/Sub's clients write the trace under a name of their own. */
const traceHeaders = ['googclient_traceparent', 'traceparent', 'ce-traceparent'];
const typeHeaders = ['event_type', 'eventtype', 'ce-type', 'ce_type'];

export const reportType = 'application/vnd.dead-letter-office.report+json';

/** A full subscription name is a subscription; any other consumer is a group. */
const isSubscription = (consumer: string) => /^projects\/[^/]+\/subscriptions\/[^/]+$/.test(consumer);

/** Composes the report of an error that a consumer threw for a message. */
export function composeReport(
  thrown: unknown,
  facts: MessageFacts,
  { consumer, eventType }: Pick<Options, 'consumer' | 'eventType'>,
): Report {
  const failedAt = Date.now();
  const { retryAfter, ...error } = describeError(thrown);
  const { headers = {}, body, source = {} } = facts;
  const { key, subscription, ...position } = source;
  const report = {
    eventType: facts.eventType ?? readFirstHeader(headers, typeHeaders) ?? eventType,
    eventId: facts.eventId ?? findApplicationId(headers),
    // Without it, the message has no content, such as a tombstone; an empty one has.
    payloadBase64: body === null ? undefined : toBase64(body),
    contentType: facts.contentType ?? readHeader(headers, 'content-type'),
    headers,
    error,
    retryAfter,
    source: {
      ...position,
      ...(typeof key === 'string' ? { key } : key && { keyBase64: toBase64(key) }),
      subscription: subscription ?? (isSubscription(consumer) ? consumer : undefined),
      consumerGroup: isSubscription(consumer) ? undefined : consumer,
    },
    occurredAt: printTime(facts.occurredAt),
    failedAt: new Date(failedAt).toISOString(),
    traceparent: facts.traceparent ?? readFirstHeader(headers, traceHeaders),
  };
  return { idempotencyKey: randomUUID(), failedAt, body: JSON.stringify(report) };
}

/** A time that is none, such as of a malformed CloudEvent, is left out: the failure counts. */
function printTime(time: Date | undefined): string | undefined {
  return time && Number.isFinite(time.getTime()) ? time.toISOString() : undefined;
}

function toBase64(bytes: Uint8Array | string): string {
  return Buffer.from(bytes).toString('base64');
}
