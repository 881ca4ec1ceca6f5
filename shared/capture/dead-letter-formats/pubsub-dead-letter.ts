import { toCount, toDate, toDateFromMillis } from '../column-values.ts';
import { readHeader } from '../header-values.ts';
import { digest, keyFromHeaders, toPublication } from '../identity.ts';
import type { Facts, Message } from '../message.ts';

const prefix = 'cloudpubsubdeadletter';

/**
 * A copy that Pub/Sub forwarded to a dead-letter topic. Pub/Sub may forward several copies, each with a new message id:
 * the identity is the application's, else the content and the publication time of the original. Only copies from
 * BigQuery subscriptions have a reason.
 * https://cloud.google.com/pubsub/docs/dead-letter-topics
 */
export function readPubSubDeadLetter(message: Message): Partial<Facts> | undefined {
  const source = (name: string) => readHeader(message.headers, `${prefix}source${name}`);
  const subscriptionId = source('subscription');
  if (subscriptionId === null) return undefined;
  const project = source('subscriptionproject');
  const subscription = project ? `projects/${project}/subscriptions/${subscriptionId}` : subscriptionId;
  const publishedAt = source('topicpublishtime');
  const applicationKey = keyFromHeaders(message.headers);
  return {
    eventKey: applicationKey ?? `pubsub-dl:${subscription}/${digestContent(message, publishedAt)}`,
    sourceSubscription: subscription,
    consumer: applicationKey === undefined ? null : subscription,
    sourceAttempts: toCount(source('deliverycount')),
    errorReason: source('deliveryerrormessage'),
    occurredAt: toDate(publishedAt),
    publication: toPublication(toDate(publishedAt)),
    failedAt: readPublishTime(message.facts.publication),
  };
}

/** The publication of the copy is when Pub/Sub gave up. */
function readPublishTime(publication: string | null | undefined): Date | null {
  return publication ? toDateFromMillis(publication.split('@')[0]) : null;
}

function digestContent({ body, headers, facts }: Message, publishedAt: string | null): string {
  const data = body.toString('base64');
  const attributes = data === '' ? listOwnAttributes(headers) : [];
  return digest(JSON.stringify([publishedAt, facts.sourceKey ?? '', data, attributes]));
}

/** The application's attributes, without those that Pub/Sub and its client libraries add. */
function listOwnAttributes(headers: Message['headers']): [string, unknown][] {
  return Object.entries(headers)
    .map(([name, value]): [string, unknown] => [name.toLowerCase(), value])
    .filter(([name]) => !name.startsWith(prefix) && !name.startsWith('googclient_'))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
