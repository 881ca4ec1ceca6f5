import { parseJson, printJson } from '../../json/parse-json.ts';
import { withholdCredentials } from '../../message/credential-headers.ts';
import { toCount, toDate, toDateFromMillis, toDateFromSeconds, toText } from '../column-values.ts';
import { decodeBase64, isWholly } from '../content.ts';
import { pickEntries, readBigEndian } from '../header-values.ts';

/** Null for a value that is none, undefined for one of another form. `slice` returns its JSON as written. */
export type Conversion = (value: unknown, slice: () => string) => unknown;

/** What a language prints for nothing, and the module of Python's own exceptions. */
const nothing = new Set(['null', 'None', '<nil>', 'builtins']);
const savedNames = new Set(['payload', 'encoding', 'isPayloadNull', 'schemaId', 'size']);

export const toFailureText: Conversion = (value) => {
  const text = toText(value);
  return text === null || nothing.has(text) ? null : text;
};

const conversions: Readonly<Record<string, Conversion>> = {
  millis: toDateFromMillis,
  date: (value) => toDateFromMillis(value) ?? toDate(value),
  time: toTime,
  timeOrBytes: (value) => toTime(value) ?? toDateFromMillis(readBigEndian(value)),
  int: readBigEndian,
  intMillis: (value) => toDateFromMillis(readBigEndian(value)),
  number: toNumber,
  next: (value) => toCount((toCount(value) ?? Number.NaN) + 1),
  // The first line, or the last part of a path.
  line: (value) => toText(value)?.split('\n', 1)[0]?.trim() || null,
  name: (value) => toText(value)?.split('/').at(-1) || null,
  topic: (value) => /^\/\/pubsub\.googleapis\.com\/(.+)$/s.exec(toText(value) ?? '')?.[1] ?? null,
  source: (_, slice) => slice(),
  text: toOwnText,
  filled: (value, slice) => (value === '' ? null : toOwnText(value, slice)),
  string: (value) => (typeof value === 'string' && value.isWellFormed() ? value : undefined),
  // Padded, as bridges write it.
  bytes: (value, slice) =>
    (typeof value === 'string' && value.length % 4 === 0 ? decodeBase64(value) : undefined) ??
    toOwnText(value, slice),
  base64: (value) => (typeof value === 'string' ? decodeBase64(value) : undefined),
  base64Key: (value) => ((text) => text && decodeBase64(text))(toText(value)),
  // Knative cuts base64 at 1,024 characters, within a character of the text.
  cutBase64: (value) => {
    const text = toText(value) ?? '';
    const bytes = Buffer.from(text.slice(0, text.length - (text.length % 4)), 'base64');
    return new TextDecoder().decode(bytes, { stream: true }) || null;
  },
  reprinted: (value) => (typeof value === 'string' ? null : 'bridge'),
  list: (value, slice) => [value].flat().map((each) => toOwnText(each ?? '', slice)),
  printed: decodePrinted,
  // A header that Redpanda Console saved: of another size than it had, it is printed as JSON.
  saved: (value) => {
    const { payload, size = Buffer.byteLength(String(payload)) } = Object(value);
    if (typeof payload !== 'string' || !isWholly(value, savedNames)) return undefined;
    const text = Buffer.byteLength(payload) === size ? payload : parseJson(payload);
    return typeof text === 'string' ? text : payload;
  },
  nulls: (value) => Object.keys(Object(value)).filter((name) => Object(value)[name] === 'undefined'),
  properties: (value) => {
    const own = Object.entries(Object(value)).filter(([name, each]) => name !== 'headers' && each !== null);
    const texts = own.map(([name, each]) => [name, toOwnText(each, () => printJson(each))] as const);
    return Object.fromEntries(withholdCredentials(texts));
  },
  schemas: (value) => pickEntries(Object(value), (name, id) => id !== null && /schema_?id$/i.test(name)),
};

/** `prefix:` has the text that is put before a text. */
export function findConversion(name: string): Conversion {
  const [, prefix] = /^prefix:(.+)$/.exec(name) ?? [];
  if (prefix !== undefined) return (value) => ((text) => text && prefix + text)(toText(value));
  const found = conversions[name];
  if (!found) throw new TypeError(`${name} is none of ${Object.keys(conversions).join(', ')}.`);
  return found;
}

/** Sidekiq 8 writes milliseconds, older releases seconds; applications either, or ISO 8601. */
function toTime(value: unknown): Date | null {
  return toDateFromSeconds(value) ?? toDateFromMillis(value) ?? toDate(value);
}

/** Digits, or big-endian bytes. */
function toNumber(value: unknown): string | bigint | null {
  const text = toText(value);
  return text !== null && /^\d+$/.test(text) ? text : readBigEndian(value);
}

/** A text, or the JSON of any other value. UTF-8 cannot encode a lone surrogate; its escape can be kept. */
export function toOwnText(value: unknown, slice: () => string): string {
  return typeof value === 'string' && value.isWellFormed() ? value : slice();
}

const printedBytes = 'Not UTF-8, base64 is: ';

/**
 * Bytes that are not UTF-8 are a sentence with base64 in lines, and null is `undefined`.
 * https://github.com/rabbitmq/rabbitmq-server/blob/main/deps/rabbit_common/src/rabbit_misc.erl
 */
function decodePrinted(value: unknown, slice: () => string): string | Buffer | null {
  if (value === 'undefined') return null;
  const isBytes = typeof value === 'string' && value.startsWith(printedBytes);
  return (isBytes ? decodeBase64(value.slice(printedBytes.length)) : undefined) ?? toOwnText(value, slice);
}
