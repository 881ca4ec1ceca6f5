import { isUtf8 } from 'node:buffer';
import type { HeaderValue } from '../../events/event.ts';
import { type LeasedEvent, restoreKey } from '../leased-event.ts';
import { continueTrace } from './continue-trace.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import { judge, type Outcome } from './outcome.ts';
import { openPublisher } from './pubsub-publisher.ts';
import { reasonCodesOfGrpcStatus } from './reason-codes.ts';
import type { Delivery } from './target-kind.ts';

/**
 * Publishes the exact body with the original attributes and ordering key. Never throws: every failure is an outcome.
 * One request per event, without the client's batching: Pub/Sub rejects a whole request for one bad message in it, and
 * the client's queues fail every message that follows a failed one of its key.
 */
export async function deliverByPubSub(delivery: Delivery<{ readonly topic: string }>): Promise<Outcome> {
  const { event, body, target, attempt, timeoutSeconds } = delivery;
  const ours = Object.fromEntries(deliveryHeaders(event, attempt));
  const attributes = { ...restoreAttributes(event), ...continueTrace(event), ...ours };
  const message = { data: body, attributes, orderingKey: restoreOrderingKey(event) };
  let isOpen = false;
  try {
    const publisher = await openPublisher();
    isOpen = true;
    const [{ messageIds }] = await publisher.publish(
      { topic: target.topic, messages: [message] },
      // Without the client's retries, which continue for ten minutes whatever the timeout.
      { timeout: timeoutSeconds * 1000, retry: { retryCodes: [] } },
    );
    return { kind: 'delivered', responseBody: `message ${messageIds?.[0]}` };
  } catch (error) {
    return judgeError(error, isOpen);
  }
}

function judgeError(error: unknown, isOpen: boolean): Outcome {
  const errorCode = error instanceof Error && 'code' in error ? error.code : undefined;
  const code = typeof errorCode === 'number' ? errorCode : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return {
    ...judge(isOpen ? reasonCodesOfGrpcStatus(code) : ['unsent']),
    error: message,
    ...(code === undefined ? {} : { responseStatus: code }),
  };
}

/** An ordering key is text of up to 1 KiB. Other keys, such as binary ones of Kafka, are sent as their derived text. */
function restoreOrderingKey(event: LeasedEvent): string {
  const key = restoreKey(event);
  const isText = key !== null && isUtf8(key) && key.length <= 1024;
  return isText ? key.toString() : (event.sourceKey ?? '');
}

/**
 * An attribute is one text: the last value of a repeated name, and base64 for bytes. What a sender stated in `dlo-` attributes
 * is true of its own failure only.
 */
function restoreAttributes(event: LeasedEvent): Record<string, string> {
  const prefix = 'specversion' in event.headers ? 'ce-' : '';
  return Object.fromEntries(
    Object.entries(event.headers)
      .filter(([name]) => !/^dlo-/i.test(name))
      .map(([name, value]) => [`${prefix}${name}`, toAttribute(value)]),
  );
}

function toAttribute(value: HeaderValue): string {
  const last = Array.isArray(value) ? (value.at(-1) ?? '') : value;
  return typeof last === 'string' ? last : last.base64;
}

/**
 * Lists the names of all subscriptions of a topic: each of them receives every published message. Returns undefined if
 * they cannot be listed: that takes the permission pubsub.topics.get, which publishing does not need.
 */
export async function listSubscriptions(topic: string): Promise<readonly string[] | undefined> {
  try {
    const publisher = await openPublisher();
    const [subscriptions] = await publisher.listTopicSubscriptions(
      { topic },
      { timeout: 5000, maxResults: 1000, retry: { retryCodes: [] } },
    );
    return subscriptions;
  } catch {
    return undefined;
  }
}
