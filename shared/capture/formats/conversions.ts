import { inflateSync } from 'node:zlib';
import { parseJson, printJson } from '../../json/parse-json.ts';
import { minify, sliceMembers } from '../../json/slice-json.ts';
import { toCount, toDate, toDateFromMillis, toDateFromSeconds } from '../column-values.ts';
import { isWholly } from '../content.ts';
import { decodeAnyBase64, decodeBase64 } from '../decode-bytes.ts';
import { readBigEndian, readText } from '../header-values.ts';

/** Null for a value that is none, undefined for one of another form. `slice` returns its JSON as written. */
export type Conversion = (value: unknown, slice: () => string) => unknown;

/** What a language prints for nothing, and the module of Python's own exceptions. */
const nothing = new Set(['null', 'None', '<nil>', 'builtins']);

export const toFailureText: Conversion = (value) => {
  const text = readText(value);
  return text === null || nothing.has(text) ? null : text;
};

/** No stack trace is longer, in bytes. */
const maxBacktrace = 2 ** 20;

const conversions: Readonly<Record<string, Conversion>> = {
  millis: (value) => toDateFromMillis(readText(value)),
  // Sidekiq 8 writes milliseconds, older releases seconds; applications either, or ISO 8601.
  time: (value) => {
    const text = readText(value);
    return toDateFromSeconds(text) ?? toDateFromMillis(toNumber(value)) ?? toDate(text);
  },
  iso: (value) => toDate(value)?.toISOString() ?? null,
  int: readBigEndian,
  intMillis: (value) => toDateFromMillis(readBigEndian(value)),
  number: toNumber,
  next: (value) => {
    const count = toCount(readText(value));
    return count === null ? null : count + 1;
  },
  first: () => 1,
  texts: (value) => (Array.isArray(value) ? joinTexts(value, ': ') : toFailureText(value, String)),
  source: (_, slice) => slice(),
  // Null, too.
  json: (_, slice) => slice(),
  text: toOwnText,
  encoded: (value) => {
    const { payload, payload_encoding: encoding } = Object(value);
    if (typeof payload !== 'string') return undefined;
    return encoding === 'base64' ? decodeAnyBase64(payload) : payload;
  },
  bytes: (value, slice) =>
    typeof value === 'string' ? (decodeBase64(value) ?? value) : toOwnText(value, slice),
  base64: (value) => (typeof value === 'string' ? decodeAnyBase64(value) : undefined),
  // Knative cuts base64 at 1,024 characters, within a character of the text.
  cutBase64: (value) => {
    const [groups = ''] = /^(.{4})*/s.exec(readText(value) ?? '') ?? [];
    return new TextDecoder().decode(Buffer.from(groups, 'base64'), { stream: true }) || null;
  },
  // Since Sidekiq 6 the lines of a stack trace are base64 of their compressed JSON.
  backtrace: (value) => joinTexts(typeof value === 'string' ? inflate(value) : value, '\n'),
  payload: readPayload,
  reprinted: (value) => (typeof value === 'string' ? null : 'bridge'),
  printed: decodePrinted,
  nulls: (value) => Object.keys(Object(value)).filter((name) => Object(value)[name] === 'undefined'),
  list: (value, slice) => [value].flat().map((each) => toOwnText(each ?? '', slice)),
  properties: (value) => {
    const own = Object.entries(Object(value)).filter(([name, each]) => name !== 'headers' && each !== null);
    return Object.fromEntries(own.map(([name, each]) => [name, toOwnText(each, () => printJson(each))]));
  },
  schemas: (value) => {
    const ids = Object.entries(Object(value)).filter(([name]) => /schema_?id$/i.test(name));
    return Object.fromEntries(ids.filter(([, id]) => id !== null));
  },
};

/** `before:` and `after:` have the signs at which a text is cut, `prefix:` what is put before it. */
export function findConversion(name: string): Conversion {
  const [, kind, argument = ''] = /^(before|after|prefix):(.+)$/s.exec(name) ?? [];
  const found = kind ? (value: unknown) => changeText(readText(value), kind, argument) : conversions[name];
  if (!found) throw new TypeError(`${name} is none of ${Object.keys(conversions).join(', ')}.`);
  return found;
}

function changeText(text: string | null, kind: string, argument: string): string | null {
  if (text === null || kind === 'prefix') return text && argument + text;
  const parts = text.split(new RegExp(`[${argument}]`));
  return (kind === 'before' ? parts[0] : parts.at(-1))?.trim() || null;
}

/** Digits, or big-endian bytes. */
function toNumber(value: unknown): string | bigint | null {
  const text = readText(value);
  return text !== null && /^\d+$/.test(text) ? text : readBigEndian(value);
}

/** A text, or the JSON of any other value. UTF-8 cannot encode a lone surrogate; its escape can be kept. */
export function toOwnText(value: unknown, slice: () => string): string {
  return typeof value === 'string' && value.isWellFormed() ? value : slice();
}

function joinTexts(list: unknown, joint: string): string | null {
  if (!Array.isArray(list)) return null;
  return list.filter((each) => typeof each === 'string').join(joint) || null;
}

function inflate(base64: string): unknown {
  try {
    const bytes = inflateSync(Buffer.from(base64, 'base64'), { maxOutputLength: maxBacktrace });
    return parseJson(bytes.toString());
  } catch {
    return undefined;
  }
}

const payloadNames = new Set(['payload', 'rawPayload', 'encoding', 'isPayloadNull', 'schemaId', 'size']);

/** Redpanda has the bytes in `rawPayload` if a user asked for them. */
function readPayload(value: unknown, slice: () => string): string | Buffer | null | undefined {
  if (!isWholly(value, payloadNames) || typeof value.encoding !== 'string') return undefined;
  const { payload, rawPayload, encoding } = value;
  if (value.isPayloadNull === true || encoding === 'null') return null;
  if (typeof rawPayload === 'string') return decodeBase64(rawPayload) ?? rawPayload;
  if (typeof payload === 'string' && encoding !== 'json') return payload;
  // The file is indented.
  return minify(sliceMembers(slice())[0]?.get('payload') ?? '');
}

const printedBytes = 'Not UTF-8, base64 is: ';

/**
 * Bytes that are not UTF-8 are a sentence with base64 in lines, and null is `undefined`.
 * https://github.com/rabbitmq/rabbitmq-server/blob/main/deps/rabbit_common/src/rabbit_misc.erl
 */
function decodePrinted(value: unknown, slice: () => string): string | Buffer | null {
  if (value === 'undefined') return null;
  const isBytes = typeof value === 'string' && value.startsWith(printedBytes);
  return (isBytes ? decodeAnyBase64(value.slice(printedBytes.length)) : undefined) ?? toOwnText(value, slice);
}
