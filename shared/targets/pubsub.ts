import { isUtf8 } from 'node:buffer';
import type { v1 } from '@google-cloud/pubsub';
import type { HeaderValue, LeasedEvent } from '../events.ts';
import type { PubSubTarget } from '../routes.ts';
import { judge, type Outcome } from './outcome.ts';
import { restoreKey } from './restore-key.ts';
import { signsOfGrpcCode } from './signs.ts';

type Publisher = InstanceType<typeof v1.PublisherClient>;

let opening: Promise<Publisher> | undefined;

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
  const attributes = { ...restoreAttributes(event), ...ours };
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

/** The one client of this process for publishing; it is opened on first use. */
export function openPublisher(): Promise<Publisher> {
  opening ??= connect().catch((error) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

async function connect(): Promise<Publisher> {
  // Loaded only where it is used: a quarter of a second of every cold start otherwise.
  const { PubSub, v1 } = await import('@google-cloud/pubsub');
  // It knows how to find an emulator and the credentials. Its project is of no use: topics are named in full.
  const options = await new PubSub({ projectId: 'named-by-the-topic' }).getClientConfig();
  const publisher = new v1.PublisherClient(options as ConstructorParameters<typeof v1.PublisherClient>[0]);
  // Looks for credentials, which else the first publish would do: a failure there would count as sent.
  await publisher.initialize();
  return publisher;
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
