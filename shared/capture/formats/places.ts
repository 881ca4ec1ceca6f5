import { readPointer } from '../../json/json-nodes.ts';
import { listValue } from '../../json/list-value.ts';
import { isObject, parseJson } from '../../json/parse-json.ts';
import type { HeaderValue } from '../../message/event.ts';
import { toDateFromSeconds, toText } from '../column-values.ts';
import type { Facts } from '../facts.ts';
import { readForm } from '../form.ts';
import { lastText, listValues } from '../header-values.ts';
import { isFromKafka, readRecord } from '../kafka-record.ts';
import type { Opened } from '../message.ts';
import { codedPlaces } from './coded-places.ts';
import { type Conversion, findConversion } from './conversions.ts';

type Read = (opened: Opened) => readonly unknown[];

/** A place of a record: its values before their conversion, in the order of the hops, and as converted. */
export type CompiledPlace = {
  readonly at: string;
  /** Whether the fact is the value itself, in whatever notation. */
  readonly isKept: boolean;
  readonly raw: Read;
  readonly convert: Conversion;
};

/** How to read each kind of place. */
const kinds: Readonly<Record<string, (name: string) => Read>> = {
  header: (name) => {
    const wanted = name.toLowerCase();
    return ({ named, newestFirst }) => {
      const values = listValues(named.get(wanted));
      return newestFirst ? values.toReversed() : values;
    };
  },
  json: (pointer) => {
    const tokens = readPointer(pointer);
    return ({ message }) => listValue(message.json, tokens);
  },
  form: (pointer) => {
    const tokens = readPointer(pointer);
    return ({ message }) => readForm(message, tokens);
  },
  query:
    (name) =>
    ({ query }) => [query?.get(name)],
  ce: (name) => (opened) => listAttribute(opened, name),
  own:
    (name) =>
    ({ own }) =>
      listValues(own?.get(name)),
  transport:
    (fact) =>
    ({ message }) => [message.facts[fact as keyof Facts]],
  text: (text) => () => [text],
  record: (name) => (opened) => readRecordField(opened, name),
  code: (name) => codedPlaces[name] ?? (() => []),
  death: (field) => (opened) => [readFirstDeath(opened.named)?.[field]],
};

/** Compiles the alternatives of a fact. `usual` converts those that name no conversion. */
export function compilePlaces(places: string, under: string, usual: Conversion): CompiledPlace[] {
  return places.split(' | ').map((each) => {
    const [place = '', as] = each.split(' as ');
    const at = place.includes(':') ? place : under + place;
    const kind = at.slice(0, at.indexOf(':'));
    const raw = kinds[kind]?.(at.slice(kind.length + 1));
    if (!raw) throw new TypeError(`${each} is at none of ${Object.keys(kinds).join(', ')}.`);
    return {
      at,
      isKept: !/^(next|http|before|after)/.test(as ?? ''),
      raw,
      convert: as === undefined ? usual : findConversion(as),
    };
  });
}

/** An attribute of a CloudEvent. HTTP's are without a prefix, other brokers mark them by `ce-` or `ce_`. */
export function listAttribute({ message, named }: Opened, name: string): readonly unknown[] {
  const isPlain = message.facts.sourceKind === 'cloudevents';
  return listValues(isPlain ? named.get(name) : (named.get(`ce-${name}`) ?? named.get(`ce_${name}`)));
}

/**
 * A field of the Kafka record as received; of one that came from Kafka also the attributes of a CloudEvent,
 * `ce-NAME`.
 */
function readRecordField({ message, named }: Opened, name: string): readonly unknown[] {
  const { position, key, writtenAt } = readRecord(message);
  const fields: Readonly<Record<string, unknown>> = { ...position, key, time: writtenAt };
  if (name in fields) return [fields[name]];
  if (!isFromKafka(message)) return [];
  return name === 'isRecord' ? ['true'] : listValues(named.get(name));
}

/**
 * The first dead-lettering of a message in RabbitMQ, by field, or undefined for a message without any.
 * `x-death` has one entry for each queue and reason, newest first; newer brokers name the first one in
 * `x-first-*`. Deliveries are those that a consumer rejected: other deaths say nothing about deliveries, not
 * even `delivery_limit`.
 * https://www.rabbitmq.com/docs/dlx#effects
 */
function readFirstDeath(
  named: Pick<ReadonlyMap<string, HeaderValue>, 'get'>,
): Readonly<Record<string, unknown>> | undefined {
  const header = (name: string) => lastText(named.get(name));
  const list = parseJson(header('x-death') ?? undefined);
  const deaths = Array.isArray(list) ? list.filter(isObject) : [];
  const [queue, reason] = [header('x-first-death-queue'), header('x-first-death-reason')];
  const isFirst = (death: Record<string, unknown>) => death.queue === queue;
  const first =
    deaths.findLast((death) => isFirst(death) && death.reason === reason) ??
    deaths.findLast(isFirst) ??
    deaths.at(-1);
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
