import { readerOf } from '../header-value.ts';
import { digest, keyFromHeaders } from '../identity.ts';
import type { Facts, Message } from '../message.ts';
import { toCount, toMoment } from '../text.ts';

const prefix = 'cloudpubsubdeadletter';

/**
 * A copy that Pub/Sub forwarded to a dead-letter topic. The copy's message id is new each time and there may be
 * several copies, so that identity is the application's, or the content and the time of the first publication. The
 * reason is known of BigQuery subscriptions only.
 * https://cloud.google.com/pubsub/docs/dead-letter-topics
 */
export function readPubSubDeadLetter(message: Message): Partial<Facts> | undefined {
  const read = readerOf(message.headers);
  const told = (name: string) => read(`${prefix}source${name}`);
  const subscriptionId = told('subscription');
  if (subscriptionId === null) return undefined;
  const project = told('subscriptionproject');
  const subscription = project ? `projects/${project}/subscriptions/${subscriptionId}` : subscriptionId;
  const publishedAt = told('topicpublishtime');
  return {
    eventKey:
      keyFromHeaders(message.headers, subscription) ??
      `pubsub-dl:${subscription}/${digestContent(message, publishedAt)}`,
    sourceSubscription: subscription,
    sourceAttempts: toCount(told('deliverycount')),
    errorReason: told('deliveryerrormessage'),
    occurredAt: toMoment(publishedAt),
  };
}

function digestContent({ body, headers, facts }: Message, publishedAt: string | null): string {
  const data = body.toString('base64');
  const attributes = data === '' ? listOwnAttributes(headers) : [];
  return digest(JSON.stringify([publishedAt, facts.sourceKey ?? '', data, attributes]));
}

/** What the application wrote, without what Pub/Sub and its client libraries add on the way. */
function listOwnAttributes(headers: Message['headers']): [string, unknown][] {
  return Object.entries(headers)
    .map(([name, value]): [string, unknown] => [name.toLowerCase(), value])
    .filter(([name]) => !name.startsWith(prefix) && !name.startsWith('googclient_'))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
