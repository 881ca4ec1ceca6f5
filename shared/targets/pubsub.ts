import { isUtf8 } from 'node:buffer';
import type { HeaderValue, LeasedEvent } from '../events.ts';
import { openPublisher } from '../pubsub-publisher.ts';
import type { PubSubTarget } from '../routes.ts';
import { continueTrace } from './continue-trace.ts';
import { judge, type Outcome } from './outcome.ts';
import { restoreKey } from './restore-key.ts';
import { signsOfGrpcCode } from './signs.ts';

export type PubSubDelivery = {
  readonly event: LeasedEvent;
  readonly body: Buffer;
  readonly target: PubSubTarget;
  readonly attempt: number;
  readonly timeoutSeconds: number;
};

/**
 * Publishes the exact body with the original attributes and ordering key. Never throws: every end is an outcome.
 * One call for each event and none of the client's own: Pub/Sub refuses a whole request for one bad message in it, and
 * the client's queues hold back, and fail, all that follow a failed one of their key.
 */
export async function deliverByPubSub(delivery: PubSubDelivery): Promise<Outcome> {
  const { event, body, target, attempt, timeoutSeconds } = delivery;
  const ours = { 'dlo-event-id': event.id, 'dlo-attempt': String(attempt) };
  const attributes = { ...restoreAttributes(event), ...continueTrace(event), ...ours };
  const message = { data: body, attributes, orderingKey: restoreOrderingKey(event) };
  let isOpen = false;
  try {
    const publisher = await openPublisher();
    isOpen = true;
    const [{ messageIds }] = await publisher.publish(
      { topic: target.topic, messages: [message] },
      // Without its retries, which go on for ten minutes whatever the timeout says.
      { timeout: timeoutSeconds * 1000, retry: { retryCodes: [] } },
    );
    return { kind: 'delivered', responseBody: `message ${messageIds?.[0]}` };
  } catch (error) {
    return judgeError(error, isOpen);
  }
}

function judgeError(error: unknown, isOpen: boolean): Outcome {
  const given = error instanceof Error && 'code' in error ? error.code : undefined;
  const code = typeof given === 'number' ? given : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return {
    ...judge(isOpen ? signsOfGrpcCode(code) : ['unsent']),
    error: message,
    ...(code === undefined ? {} : { responseStatus: code }),
  };
}

/** Pub/Sub takes a text of up to 1 KiB. Of a key that is something else, as they are in Kafka, what was made of it. */
function restoreOrderingKey(event: LeasedEvent): string {
  const key = restoreKey(event);
  const isText = key !== null && isUtf8(key) && key.length <= 1024;
  return isText ? key.toString() : (event.source_key ?? '');
}

/** An attribute is one text: of a repeated name the last value counts, bytes go as base64. */
function restoreAttributes(event: LeasedEvent): Record<string, string> {
  const prefix = 'specversion' in event.headers ? 'ce-' : '';
  return Object.fromEntries(
    Object.entries(event.headers).map(([name, value]) => [`${prefix}${name}`, toAttribute(value)]),
  );
}

function toAttribute(value: HeaderValue): string {
  const last = Array.isArray(value) ? (value.at(-1) ?? '') : value;
  return typeof last === 'string' ? last : last.base64;
}
