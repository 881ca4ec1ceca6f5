import { readPointer } from '../../json/json-nodes.ts';
import { listValue } from '../../json/list-value.ts';
import { parseJson, printJson } from '../../json/parse-json.ts';
import { sliceMembers } from '../../json/slice-json.ts';
import { decodePercent } from '../content.ts';
import type { Facts } from '../facts.ts';
import { listValues } from '../header-values.ts';
import { isFromKafka, readRecord } from '../kafka-record.ts';
import type { Message, Opened } from '../message.ts';
import { codedPlaces, readFirstDeath } from './coded-places.ts';
import { type Conversion, findConversion } from './conversions.ts';

type Read = (opened: Opened) => readonly unknown[];

export type CompiledPlace = {
  readonly at: string;
  /** Its values in the order of the hops, before their conversion. */
  readonly raw: Read;
  /** One of them as converted; null for none. */
  readonly read: (value: unknown, opened: Opened) => unknown;
  readonly convert: Conversion;
  /** The JSON text of its value as written. */
  readonly slice: (opened: Opened) => string;
};

const kinds: Readonly<Record<string, (name: string) => Read>> = {
  header: (name) => {
    const wanted = name.toLowerCase();
    return ({ named }) => listValues(named.get(wanted));
  },
  newest: (name) => (opened) => kinds.header?.(name)(opened).toReversed() ?? [],
  json: (pointer) => {
    const tokens = readPointer(pointer);
    return ({ message }) => listValue(message.json, tokens);
  },
  form: (pointer) => (opened) => readForm(opened.message, readPointer(pointer)),
  query: (name) => (opened) => [opened.sent?.query.get(name)],
  path: (part) => (opened) => [opened.sent && readPath(opened.sent.path)[part as 'topic' | 'key']],
  ce:
    (name) =>
    ({ named, attributes = named }) =>
      listValues(attributes.get(`ce-${name}`) ?? attributes.get(`ce_${name}`)),
  own: (name) => (opened) => listValues(opened.own?.get(name)),
  transport: (fact) => (opened) => [opened.message.facts[fact as keyof Facts]],
  text: (text) => () => [text],
  record: (name) => (opened) => readRecordField(opened, name),
  code: (name) => codedPlaces[name] ?? (() => []),
  death: (field) => (opened) => [readFirstDeath(opened.named)?.[field]],
};

/** `usual` converts the values of places that name no conversion. */
export function compilePlaces(places: string, under: string, usual: Conversion): CompiledPlace[] {
  return places.split(' | ').map((each) => {
    const [place = '', as] = each.split(' as ');
    const at = place.includes(':') ? place : under + place;
    const [kind, name] = [at.slice(0, at.indexOf(':')), at.slice(at.indexOf(':') + 1)];
    const raw = kinds[kind]?.(name);
    if (!raw) throw new TypeError(`${each} is at none of ${Object.keys(kinds).join(', ')}.`);
    const convert = as === undefined ? usual : findConversion(as);
    const tokens = kind === 'json' ? readPointer(name) : undefined;
    const slice = ({ message }: Opened) => (tokens && sliceAt(message.body.toString(), tokens)) ?? '';
    const read = (value: unknown, opened: Opened) => {
      if ((value ?? null) === null) return null;
      if (as !== undefined) return convert(value, () => slice(opened) || printJson(value));
      // A parsed number may have lost its last digits.
      return usual(typeof value === 'number' && !Number.isSafeInteger(value) ? slice(opened) : value, String);
    };
    return { at, raw, read, slice, convert };
  });
}

/**
 * The field of a form that the first token names, or what the others name in its JSON. Searches the text: a
 * form may have a million fields.
 */
function readForm({ body, contentType }: Message, [field = '', ...rest]: readonly string[]) {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? '')) return [];
  const names = [new URLSearchParams([[field, '']]).toString().slice(0, -1), field];
  const escaped = names.map((name) => name.replaceAll(/\W/g, String.raw`\$&`)).join('|');
  const [, value] = new RegExp(`(?:^|&)(?:${escaped})=([^&]*)`).exec(body.toString()) ?? [];
  if (value === undefined) return [];
  const text = new URLSearchParams(`value=${value}`).get('value') ?? '';
  return rest.length === 0 ? [text] : listValue(parseJson(text), rest);
}

/** Strips the function's own path, which behind a load balancer is `/capture`. A key may contain slashes. */
function readPath(path: string) {
  const [topic, ...key] = path.replace(/^\/*(capture(?=\/|$))?\/*/, '').split('/');
  return { topic: decodePercent(topic ?? ''), key: decodePercent(key.join('/')) };
}

/** Of one that came from Kafka also the attributes of a CloudEvent, `ce-NAME`. */
function readRecordField({ message, named }: Opened, name: string): readonly unknown[] {
  const record: Readonly<Record<string, unknown>> = readRecord(message);
  if (name in record) return [record[name]];
  if (!isFromKafka(message)) return [];
  return name === 'isRecord' ? ['true'] : listValues(named.get(name));
}

/** As written; undefined if there is none. */
function sliceAt(json: string, names: readonly string[]): string | undefined {
  return names.reduce<string | undefined>(
    (source, name) => (source === undefined ? undefined : sliceMembers(source)[0]?.get(name)),
    json,
  );
}
