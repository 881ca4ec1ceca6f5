import type { HeaderValue } from '../../events/event.ts';
import { isObject } from '../../json/parse-json.ts';
import { minify, sliceMembers } from '../../json/slice-json.ts';
import type { Code } from '../../message/formats/format.ts';
import { toCount, toDate, toDateFromMillis, toText } from '../column-values.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { listValues, readBigEndian, readHeader } from '../header-values.ts';
import { digest, keyFromContent, keyFromHeaders, toPublication } from '../identity.ts';
import { readRecord } from '../kafka-record.ts';
import type { Capture, Message } from '../message.ts';
import { type CompiledFormat, listFact } from './compile-format.ts';
import { readHeaderFailure } from './header-failure.ts';
import { readKafkaFailure } from './kafka-failure.ts';
import type { Opened } from './places.ts';

type Failure = Partial<Capture> | undefined;

type Read = (compiled: CompiledFormat, opened: Opened) => Failure;

/** What places cannot say, by the name that a record has for it. */
export const codes: Readonly<Record<Code, Read>> = {
  spring: readSpring,
  binder: readBinder,
  pubsub: readPubSubDeadLetter,
  dataflow: readDataflow,
};

/**
 * Deliveries to the consumer that failed last. The header of retry topics, of one hop, counts the one that
 * would come next.
 */
function readSpring(compiled: CompiledFormat, opened: Opened): Partial<Capture> {
  const last = (name: string) => listValues(opened.named.get(name));
  const hops = listFact(compiled, 'topic', opened).length;
  const next = toCount(readBigEndian(last('retry_topic-attempts').at(-1)));
  const deliveries = last('kafka_deliveryattempt');
  const count = deliveries.length >= hops ? toCount(readBigEndian(deliveries.at(-1))) : null;
  const sourceAttempts = next !== null && hops <= 1 ? Math.max(1, next - 1) : count;
  const failure = readKafkaFailure(compiled, opened);
  return sourceAttempts === null ? failure : { ...failure, sourceAttempts };
}

/**
 * The group of Spring Cloud Stream's binder is in the name of the topic that was read next:
 * `error.DESTINATION.GROUP`.
 */
function readBinder(compiled: CompiledFormat, opened: Opened): Partial<Capture> {
  const topics = listFact(compiled, 'topic', opened);
  const read = [...topics.slice(1), readRecord(opened.message).position.topic];
  const groups = topics.map((topic, i) => {
    const [start, next] = [`error.${topic}.`, toText(read[i])];
    return next?.startsWith(start) ? next.slice(start.length) || null : null;
  });
  return readKafkaFailure(compiled, opened, groups);
}

const deadLetterPrefix = 'cloudpubsubdeadletter';

/**
 * A copy that Pub/Sub forwarded to a dead-letter topic. It may forward several copies, each with a new
 * message id: the identity is the application's, else the content and the publication time of the original.
 */
function readPubSubDeadLetter(compiled: CompiledFormat, opened: Opened): Partial<Capture> {
  const { message } = opened;
  const source = (name: string) => readHeader(message.headers, `${deadLetterPrefix}source${name}`);
  const [project, id] = [source('subscriptionproject'), source('subscription')];
  const subscription = project ? `projects/${project}/subscriptions/${id}` : `${id}`;
  const publishedAt = source('topicpublishtime');
  const own = keyFromHeaders(message.headers);
  // The publication of the copy is when Pub/Sub gave up.
  const [gaveUpAt] = message.facts.publication?.split('@') ?? [];
  return {
    ...readHeaderFailure(compiled, opened),
    eventKey: own ?? `pubsub-dl:${subscription}/${digestContent(message, publishedAt)}`,
    sourceSubscription: subscription,
    consumer: own === undefined ? null : subscription,
    occurredAt: toDate(publishedAt),
    publication: toPublication(toDate(publishedAt)),
    failedAt: toDateFromMillis(gaveUpAt),
  };
}

/** Without data, the attributes are the message, but for those that Pub/Sub and its client libraries add. */
function digestContent({ body, headers, facts }: Message, publishedAt: string | null): string {
  const data = body.toString('base64');
  const attributes = Object.entries(data === '' ? headers : {})
    .map(([name, value]): [string, HeaderValue] => [name.toLowerCase(), value])
    .filter(([name]) => !name.startsWith(deadLetterPrefix) && !name.startsWith('googclient_'))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return digest(JSON.stringify([publishedAt, facts.sourceKey ?? '', data, attributes]));
}

/**
 * A row of a BigQuery dead-letter table has the attributes; a line in Cloud Storage counts its retries in the
 * message.
 */
function readDataflow(compiled: CompiledFormat, opened: Opened): Partial<Capture> {
  const { message } = opened;
  const { json, facts } = message;
  const failure = readHeaderFailure(compiled, opened);
  if (compiled.format.takes === undefined) {
    const headers = { ...message.headers, ...readPairs(isObject(json) ? json.attributes : []) };
    const { eventType, ...own } = readHeaderFacts(headers, undefined);
    const eventKey = keyFromHeaders(headers) ?? failure.eventKey;
    return {
      ...failure,
      headers,
      ...(eventKey !== undefined && { eventKey }),
      eventId: own.eventId ?? facts.eventId ?? null,
      eventType: eventType === 'unknown' ? (facts.eventType ?? eventType) : eventType,
      traceId: own.traceId ?? facts.traceId ?? null,
    };
  }
  if (facts.sourceKind !== undefined) return failure;
  const content = [...(sliceMembers(failure.body?.toString() ?? '')[0] ?? [])]
    .filter(([name]) => !/^_metadata_(retry_count|error)/.test(name))
    .flatMap(([name, value]) => [name, minify(value)]);
  return { ...failure, eventKey: keyFromContent(content) };
}

/** `[{"key", "value"}]`, the form of attributes in BigQuery. */
function readPairs(pairs: unknown): Record<string, string> {
  const list = Array.isArray(pairs) ? pairs.filter(isObject) : [];
  return Object.fromEntries(list.map(({ key, value }) => [toText(key) ?? '', toText(value) ?? '']));
}
