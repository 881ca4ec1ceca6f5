import { isUtf8 } from 'node:buffer';
import * as v from 'valibot';
import type { HeaderValue } from '../../message/event.ts';
import { restoreKey } from '../leased-event.ts';
import { continueTrace, deliveryHeaders, type KeyedHeaders, listMessageHeaders } from './message-headers.ts';
import { judge, type Outcome, reasonCodesOfGrpcStatus } from './outcome.ts';
import { openPublisher } from './pubsub-publisher.ts';
import { countBytes, dedicatedRoute, type Limit, shorten, type TargetKind } from './target-kind.ts';

const schema = v.strictObject({
  kind: v.literal('pubsub'),
  topic: v.pipe(
    v.string('Give the topic as text.'),
    v.regex(/^projects\/[^/]+\/topics\/[^/]+$/, 'Must look like projects/PROJECT/topics/TOPIC.'),
  ),
});

export const pubSub: TargetKind<typeof schema> = {
  schema,
  nameOf: ({ topic }) => topic,
  keepsOrder: true,
  compose(event, { topic }, attempt) {
    const ours = Object.fromEntries(deliveryHeaders(event, attempt));
    const message = {
      attributes: { ...restoreAttributes(event), ...continueTrace(event), ...ours },
      orderingKey: restoreOrderingKey(event),
    };
    return {
      limits: findPubSubLimits(message, event.bodyBytes),
      send: (data, timeoutSeconds) => publishData(topic, { ...message, data }, timeoutSeconds),
    };
  },
  /** Each subscription receives every redelivery. Counting takes a permission that publishing does not. */
  async reachOf({ topic }) {
    try {
      const publisher = await openPublisher();
      const options = { timeout: 5000, maxResults: 1000, retry: { retryCodes: [] } };
      const [{ length: subscriptions }] = await publisher.listTopicSubscriptions({ topic }, options);
      return subscriptions === 1 ? { subscriptions } : { subscriptions, advice: adviseFor(subscriptions) };
    } catch {
      const problem = 'they could not be counted (it takes pubsub.topics.get)';
      const advice = `Each event reaches every subscription of the topic; ${problem}. ${dedicatedRoute}`;
      return { subscriptions: null, advice };
    }
  },
};

function adviseFor(subscriptions: number): string {
  return subscriptions === 0
    ? 'The topic has no subscription: no consumer gets these events, but they count as delivered.'
    : `Each event reaches all ${subscriptions} subscriptions again, not only the one that failed. ${dedicatedRoute}`;
}

/** Text of up to 1 KiB. Other keys, such as binary ones of Kafka, are sent as their derived text. */
function restoreOrderingKey(event: KeyedHeaders): string {
  const key = restoreKey(event);
  const isText = key !== null && isUtf8(key) && key.length <= 1024;
  return isText ? key.toString() : (event.sourceKey ?? '');
}

/** An attribute is one text: the last value of a repeated name, and base64 for bytes. */
function restoreAttributes(event: KeyedHeaders): Record<string, string> {
  return Object.fromEntries(
    listMessageHeaders(event).map(({ name, value, attribute }) => [
      attribute === undefined ? name : `ce-${attribute}`,
      toAttribute(value),
    ]),
  );
}

function toAttribute(value: HeaderValue): string {
  const last = Array.isArray(value) ? (value.at(-1) ?? '') : value;
  return typeof last === 'string' ? last : last.base64;
}

// https://docs.cloud.google.com/pubsub/quotas#resource_limits
const maxAttributes = 100;
const maxNameBytes = 256;
const maxValueBytes = 1024;
const maxMessageBytes = 10 * 2 ** 20;

type Message = { readonly attributes: Readonly<Record<string, string>>; readonly orderingKey: string };

/** For one of them Pub/Sub rejects the whole message. */
function findPubSubLimits({ attributes, orderingKey }: Message, bodyBytes: number): Limit[] {
  const entries = Object.entries(attributes);
  const texts = [orderingKey, ...entries.flat()];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), bodyBytes);
  return [
    ...entries.flatMap(([name, value]) => checkAttribute(name, value)),
    ...(entries.length > maxAttributes
      ? [toLimit('attributes', `It would have ${entries.length} attributes`, `up to ${maxAttributes}`)]
      : []),
    ...(bytes > maxMessageBytes
      ? [toLimit('message', `It has ${countBytes(bytes)}`, `up to ${countBytes(maxMessageBytes)}`)]
      : []),
  ];
}

function checkAttribute(name: string, value: string): Limit[] {
  const part = `attribute ${shorten(name)}`;
  const [nameBytes, valueBytes] = [Buffer.byteLength(name), Buffer.byteLength(value)];
  if (nameBytes === 0) return [toLimit('attribute without a name', 'An attribute has no name', 'names only')];
  return [
    ...(nameBytes > maxNameBytes
      ? [toLimit(part, `The name of the ${part} has ${countBytes(nameBytes)}`, `up to ${maxNameBytes}`)]
      : []),
    ...(valueBytes > maxValueBytes
      ? [toLimit(part, `The ${part} has ${countBytes(valueBytes)}`, `up to ${countBytes(maxValueBytes)}`)]
      : []),
  ];
}

function toLimit(part: string, what: string, allowed: string): Limit {
  return { effect: 'not-sent', part, detail: `${what}; Pub/Sub accepts ${allowed}.` };
}

/**
 * One request per event, without the client's batching: Pub/Sub rejects a whole request for one bad message
 * in it, and the client's queues fail every message that follows a failed one of its key. Never throws: every
 * failure is an outcome.
 */
async function publishData(
  topic: string,
  message: Message & { readonly data: Buffer },
  timeoutSeconds: number,
): Promise<Outcome> {
  let isOpen = false;
  try {
    const publisher = await openPublisher();
    isOpen = true;
    const [{ messageIds }] = await publisher.publish(
      { topic, messages: [message] },
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
