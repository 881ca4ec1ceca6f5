import { readPointer } from '../../json/json-nodes.ts';
import { isObject, listValue } from '../../json/parse-json.ts';
import { sliceMembers } from '../../json/slice-json.ts';
import { toCount, toDateFromMillis, toDateFromSeconds, toText } from '../column-values.ts';
import { decodePercent, toContent, utf8Of } from '../content.ts';
import { firstText, lastText, listValues, readBigEndian } from '../header-values.ts';
import { digest } from '../identity.ts';
import { readRecord } from '../kafka-record.ts';
import type { Facts, Message, Named } from '../message.ts';
import { type Conversion, findConversion } from './conversions.ts';

export type CompiledPlace = {
  readonly at: string;
  /** Its values in the order of the hops, before their conversion. */
  readonly raw: (message: Message) => readonly unknown[];
  /** One of them as converted; null for none. */
  readonly read: (value: unknown, message: Message) => unknown;
  readonly convert: Conversion;
  /** The JSON of its value as written; empty if there is none. */
  readonly slice: (message: Message) => Buffer;
};

/** `tokens`: of a name that is a pointer. */
type Read = (message: Message, name: string, tokens: readonly string[]) => readonly unknown[];

const kinds: Readonly<Record<string, Read>> = {
  header: ({ named }, name) => listValues(named.get(name)),
  newest: ({ named }, name) => listValues(named.get(name)).toReversed(),
  json: ({ json }, _, tokens) => listValue(json, tokens),
  form: (message, _, tokens) => readForm(message, tokens),
  query: ({ request }, name) => [request.signature === undefined ? request.query.get(name) : null],
  path: ({ request }, part) => [readPath(request.path)[part as 'topic' | 'key']],
  ce: ({ named, attributes: all = named }, name) =>
    listValues(all.get(`ce-${name}`) ?? all.get(`ce_${name}`)),
  own: ({ own }, name) => listValues(own?.get(name)),
  transport: ({ facts }, fact) => [facts[fact as keyof Facts]],
  text: (_, text) => [text],
  record: readRecordField,
  code: (message, name) => codedPlaces[name]?.(message) ?? [],
  death: ({ death }, _, tokens) => listValue(death, tokens),
};

/** `usual` converts the values of places that name no conversion. */
export function compilePlaces(places: string, under: string, usual: Conversion): CompiledPlace[] {
  return places.split(' | ').map((each) => {
    const [place = '', as] = each.split(' as ');
    const at = place.includes(':') ? place : under + place;
    const [kind, written] = [at.slice(0, at.indexOf(':')), at.slice(at.indexOf(':') + 1)];
    const find = kinds[kind];
    if (!find) throw new TypeError(`${each} is at none of ${Object.keys(kinds).join(', ')}.`);
    const name = kind === 'header' || kind === 'newest' ? written.toLowerCase() : written;
    const tokens = readPointer(name);
    const convert = as === undefined ? usual : findConversion(as);
    const slice = (message: Message) =>
      kind === 'json' ? tokens.reduce(sliceMember, utf8Of(message)) : Buffer.alloc(0);
    const read = (value: unknown, message: Message) => {
      if ((value ?? null) === null) return null;
      if (as !== undefined) return convert(value, () => String(slice(message)));
      // A parsed number may have lost its last digits.
      const isInexact = typeof value === 'number' && !Number.isSafeInteger(value);
      return usual(isInexact ? String(slice(message)) : value, String);
    };
    return { at, raw: (message) => find(message, name, tokens), read, slice, convert };
  });
}

/**
 * The field of a form that the first token names, or what the others name in its JSON. Searches the text: a
 * form may have a million fields.
 */
function readForm(message: Message, [field = '', ...rest]: readonly string[]) {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(message.contentType ?? '')) return [];
  const names = [field, String(new URLSearchParams([[field, '']])).slice(0, -1)].map(RegExp.escape).join('|');
  const [, value] = new RegExp(`(?:^|&)(?:${names})=([^&]*)`).exec(utf8Of(message).toString()) ?? [];
  if (value === undefined) return [];
  const text = new URLSearchParams(`value=${value}`).get('value') ?? '';
  return rest.length === 0 ? [text] : listValue(toContent(Buffer.from(text)).json, rest);
}

/** Strips the function's own path, which behind a load balancer is `/capture`. A key may contain slashes. */
function readPath(path: string) {
  const [topic, ...key] = path.replace(/^\/*(capture(?=\/|$))?\/*/, '').split('/');
  return { topic: decodePercent(topic ?? ''), key: decodePercent(key.join('/')) };
}

/** Of one that came from Kafka also the attributes of a CloudEvent, `ce-NAME`. */
function readRecordField(message: Message, name: string): readonly unknown[] {
  const record: Readonly<Record<string, unknown>> = readRecord(message);
  if (name in record) return [record[name]];
  // A report may say any kind.
  const isRecord = message.facts.sourceKind === 'kafka' && message.facts.origin !== 'report';
  if (!isRecord && !('kafka.topic' in message.headers)) return [];
  return name === 'isRecord' ? ['true'] : listValues(message.named.get(name));
}

const sliceMember = (json: Buffer, name: string) => sliceMembers(json).get(name) ?? Buffer.alloc(0);

/** What a place cannot say: `code:NAME`. */
const codedPlaces: Readonly<Record<string, (message: Message) => readonly unknown[]>> = {
  springAttempts: (message) => [countSpringAttempts(message)],
  binderGroup: listBinderGroups,
  forwardedSubscription: (message) => [readForwarded(message)],
  // With an id of the application the consumer is not in the key.
  forwardedConsumer: (message) => (message.ownKey === undefined ? [] : [readForwarded(message)]),
  forwardedContent: (message) => [digestContent(message)],
  // The publication of the copy is when Pub/Sub gave up.
  forwardedAt: ({ facts }) => [toDateFromMillis(facts.publication?.split('@')[0])],
};

/** The header of retry topics, of one hop, counts the delivery that would come next. */
function countSpringAttempts({ named }: Message): number | null {
  const list = (name: string) => listValues(named.get(name));
  const hops = [...list('kafka_original-topic'), ...list('kafka_dlt-original-topic')].length;
  const next = toCount(readBigEndian(list('retry_topic-attempts').at(-1)));
  const deliveries = list('kafka_deliveryattempt');
  if (next !== null && hops <= 1) return Math.max(1, next - 1);
  return deliveries.length >= hops ? toCount(readBigEndian(deliveries.at(-1))) : null;
}

/** At each hop the group is in the name of the topic that was read next, `error.DESTINATION.GROUP`. */
function listBinderGroups(message: Message): readonly (string | null)[] {
  const topics = listValues(message.named.get('x-original-topic')).map(toText);
  const read = [...topics.slice(1), readRecord(message).sourceTopic];
  return topics.map((topic, i) => {
    const [start, next] = [`error.${topic}.`, read[i]];
    return next?.startsWith(start) ? next.slice(start.length) || null : null;
  });
}

const deadLetterPrefix = 'cloudpubsubdeadletter';

function readForwarded({ named }: Message): string {
  const [project, id] = ['subscriptionproject', 'subscription'].map((name) =>
    firstText(named.get(`${deadLetterPrefix}source${name}`)),
  );
  return project ? `projects/${project}/subscriptions/${id}` : `${id}`;
}

/**
 * Copies have ids of their own. Without data, the attributes are the message, but for those that Pub/Sub and
 * its clients add.
 */
function digestContent({ body, headers, named, facts }: Message): string {
  const publishedAt = firstText(named.get(`${deadLetterPrefix}sourcetopicpublishtime`));
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
export function findFirstDeath(named: Named): Readonly<Record<string, unknown>> | undefined {
  const header = (name: string) => lastText(named.get(name));
  const text = header('x-death');
  const list = text === null ? undefined : toContent(Buffer.from(text)).json;
  const deaths = Array.isArray(list) ? list.filter(isObject) : [];
  const [queue, reason] = [header('x-first-death-queue'), header('x-first-death-reason')];
  const first = deaths.findLast((death) => death.queue === queue && death.reason === reason) ?? deaths.at(-1);
  const rejections = first?.reason === 'rejected' ? first.count : null;
  return first && { ...first, rejections, time: toDateFromSeconds(first.time)?.toISOString() };
}
