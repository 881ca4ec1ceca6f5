import { isObject, parseJson } from '../../json/parse-json.ts';
import { toCount, toDateFromMillis, toDateFromSeconds, toText } from '../column-values.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { firstText, lastText, listValues, readBigEndian, readText } from '../header-values.ts';
import { digest } from '../identity.ts';
import { readRecord } from '../kafka-record.ts';
import type { Message, Named, Opened } from '../message.ts';

/** What a place cannot say: `code:NAME`. */
export const codedPlaces: Readonly<Record<string, (opened: Opened) => readonly unknown[]>> = {
  springAttempts: (opened) => [countSpringAttempts(opened)],
  binderGroup: listBinderGroups,
  forwardedSubscription: (opened) => [readForwarded(opened)],
  // With an id of the application the consumer is not in the key.
  forwardedConsumer: (opened) =>
    readHeaderFacts(opened.message.headers).eventKey === undefined ? [] : [readForwarded(opened)],
  forwardedContent: ({ message, named }) => [
    digestContent(message, firstText(named.get(`${deadLetterPrefix}sourcetopicpublishtime`))),
  ],
  // The publication of the copy is when Pub/Sub gave up.
  forwardedAt: ({ message }) => [toDateFromMillis(message.facts.publication?.split('@')[0])],
};

/** The header of retry topics, of one hop, counts the delivery that would come next. */
function countSpringAttempts({ named }: Opened): number | null {
  const list = (name: string) => listValues(named.get(name));
  const hops = [...list('kafka_original-topic'), ...list('kafka_dlt-original-topic')].length;
  const next = toCount(readBigEndian(list('retry_topic-attempts').at(-1)));
  const deliveries = list('kafka_deliveryattempt');
  if (next !== null && hops <= 1) return Math.max(1, next - 1);
  return deliveries.length >= hops ? toCount(readBigEndian(deliveries.at(-1))) : null;
}

/** At each hop the group is in the name of the topic that was read next, `error.DESTINATION.GROUP`. */
function listBinderGroups({ named, message }: Opened): readonly (string | null)[] {
  const topics = listValues(named.get('x-original-topic')).map(readText);
  const read = [...topics.slice(1), readRecord(message).sourceTopic];
  return topics.map((topic, i) => {
    const [start, next] = [`error.${topic}.`, read[i]];
    return next?.startsWith(start) ? next.slice(start.length) || null : null;
  });
}

const deadLetterPrefix = 'cloudpubsubdeadletter';

function readForwarded({ named }: Opened): string {
  const [project, id] = ['subscriptionproject', 'subscription'].map((name) =>
    firstText(named.get(`${deadLetterPrefix}source${name}`)),
  );
  return project ? `projects/${project}/subscriptions/${id}` : `${id}`;
}

/**
 * Copies have ids of their own. Without data, the attributes are the message, but for those that Pub/Sub and
 * its clients add.
 */
function digestContent({ body, headers, facts }: Message, publishedAt: string | null): string {
  const attributes = Object.entries(body.length === 0 ? headers : {})
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !name.startsWith(deadLetterPrefix) && !name.startsWith('googclient_'))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return digest(JSON.stringify([publishedAt, facts.sourceKey ?? '', body.toString('base64'), attributes]));
}

/**
 * `x-death` has one entry for each queue and reason, newest first; newer brokers name the first one in
 * `x-first-*`. Only rejections are deliveries to a consumer.
 * https://www.rabbitmq.com/docs/dlx#effects
 */
export function readFirstDeath(named: Named): Readonly<Record<string, unknown>> | undefined {
  const header = (name: string) => lastText(named.get(name));
  const list = parseJson(header('x-death') ?? undefined);
  const deaths = Array.isArray(list) ? list.filter(isObject) : [];
  const [queue, reason] = [header('x-first-death-queue'), header('x-first-death-reason')];
  const first = deaths.findLast((death) => death.queue === queue && death.reason === reason) ?? deaths.at(-1);
  if (!first && queue === null && reason === null) return undefined;
  const routingKeys = first?.['routing-keys'];
  return {
    reason: reason ?? toText(first?.reason),
    queue: queue ?? toText(first?.queue),
    exchange: header('x-first-death-exchange') ?? toText(first?.exchange),
    'routing-key': Array.isArray(routingKeys) ? toText(routingKeys[0]) : null,
    rejections: first?.reason === 'rejected' ? first.count : null,
    time: toDateFromSeconds(first?.time)?.toISOString(),
  };
}
