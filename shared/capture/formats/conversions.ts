import { inflateSync } from 'node:zlib';
import { parseJson } from '../../json/parse-json.ts';
import { toCount, toDate, toDateFromMillis, toDateFromSeconds } from '../column-values.ts';
import { readBigEndian, readText } from '../header-values.ts';

/** Makes a fact of a value; null for one that is none. */
export type Conversion = (value: unknown) => unknown;

/** What a language prints for nothing, and the module of Python's own exceptions. */
const nothing = new Set(['null', 'None', '<nil>', 'builtins']);

export const toFailureText: Conversion = (value) => {
  const text = readText(value);
  return text === null || nothing.has(text) ? null : text;
};

/** No stack trace is longer, in bytes. */
const maxBacktrace = 2 ** 20;

/** Sidekiq 8 writes times in milliseconds, older releases in seconds; applications either, or ISO 8601. */
function toTime(value: unknown): Date | null {
  const text = readText(value);
  return toDateFromSeconds(text) ?? toDateFromMillis(toNumber(value)) ?? toDate(text);
}

/** Digits, or big-endian bytes. */
function toNumber(value: unknown): string | bigint | null {
  const text = readText(value);
  return text !== null && /^\d+$/.test(text) ? text : readBigEndian(value);
}

const conversions: Readonly<Record<string, Conversion>> = {
  millis: (value) => toDateFromMillis(readText(value)),
  time: toTime,
  iso: (value) => toDate(value)?.toISOString() ?? null,
  int: readBigEndian,
  intMillis: (value) => toDateFromMillis(readBigEndian(value)),
  number: toNumber,
  next: (value) => addOne(toCount(readText(value))),
  connector: (value) => addPrefix('connect-', value),
  http: (value) => addPrefix('HTTP ', value),
  firstLine: (value) => readText(value)?.split(/\r?\n/, 1)[0],
  texts: (value) => (Array.isArray(value) ? joinTexts(value, ': ') : toFailureText(value)),
  base64: (value) => (typeof value === 'string' ? Buffer.from(value, 'base64') : null),
  cutBase64: decodeCut,
  backtrace: (value) => joinTexts(typeof value === 'string' ? inflate(value) : value, '\n'),
};

/** The conversion of a name; `before:` and `after:` have the signs at which a text is cut. */
export function findConversion(name: string): Conversion {
  const [, side, signs = ''] = /^(before|after):(.+)$/.exec(name) ?? [];
  const found = side ? (value: unknown) => cut(readText(value) ?? '', side, signs) : conversions[name];
  if (!found) throw new TypeError(`${name} is none of ${Object.keys(conversions).join(', ')}.`);
  return found;
}

function addOne(count: number | null): number | null {
  return count === null ? null : count + 1;
}

function addPrefix(prefix: string, value: unknown): string | null {
  const text = readText(value);
  return text === null ? null : prefix + text;
}

function cut(text: string, side: string, signs: string): string | null {
  const parts = text.split(new RegExp(`[${signs}]`));
  return (side === 'before' ? parts[0] : parts.at(-1))?.trim() || null;
}

function joinTexts(list: unknown, joint: string): string | null {
  if (!Array.isArray(list)) return null;
  return list.filter((each) => typeof each === 'string').join(joint) || null;
}

/** Knative cuts base64 at 1,024 characters: drops an incomplete group of four and an incomplete character. */
function decodeCut(value: unknown): string | null {
  const base64 = readText(value) ?? '';
  const text = Buffer.from(base64.slice(0, base64.length - (base64.length % 4)), 'base64').toString();
  let end = text.length;
  while (text[end - 1] === '\uFFFD') end--;
  return text.slice(0, end) || null;
}

/** Since Sidekiq 6 the lines of a stack trace are base64 of their compressed JSON. */
function inflate(base64: string): unknown {
  try {
    const bytes = inflateSync(Buffer.from(base64, 'base64'), { maxOutputLength: maxBacktrace });
    return parseJson(bytes.toString());
  } catch {
    return undefined;
  }
}
