import { findStringEnd, quote } from '../json/json-tokens.ts';
import { parseJson } from '../json/parse-json.ts';

// A message whose bytes PostgreSQL need not store beside its payload. JSON that a program printed can be
// printed again from its value: only the order of the keys and the spaces differ from how PostgreSQL prints
// it. It is compact, as JSON.stringify, Jackson and Go print it, or spaced, as Python's json.dumps.

/** Smaller messages save little, and larger ones would be printed by every reader. */
const minBytes = 200;
const maxBytes = 4 * 2 ** 20;
/** Each object is searched for each key. */
const maxKeys = 100;
/** Far below the call stack of any reader. */
const maxDepth = 200;

/**
 * Returns `<bytes> <order>`, such as `27 10` for `{"b":...,"a":...}`, whose second key, when sorted, is
 * printed first, or `<bytes> <order> spaced`; null for a message that cannot be printed byte for byte.
 * Compares without printing, which would cost as much as all other reading.
 */
export function findPrint(json: unknown, body: Buffer): string | null {
  if (body.length < minBytes || body.length > maxBytes) return null;
  // These have many spellings, and jsonb cannot hold all that they stand for. All other escapes have one.
  if (body.includes('\\u') || body.includes('\\/')) return null;
  // V8 reads `{"\"":1}` as `{"\\":1}` after another `{"\\":1}` (https://github.com/nodejs/node/issues/63785).
  const isEscaped = (key: string) => JSON.stringify(key).length !== key.length + 2;
  for (const gap of ['', ' ']) {
    const text: Text = { body, at: 0, keys: [], comma: `,${gap}`, colon: `:${gap}` };
    if (!isPrinted(json, text) || text.at !== body.length) continue;
    if (body.includes('\\') && text.keys.some(isEscaped)) return null;
    return `${body.length} ${formatOrder(text.keys)}${gap && ' spaced'}`;
  }
  return null;
}

/** Undefined for a print that `findPrint` did not return of this message. */
function printMessage(payloadText: string, printedAs: string): Buffer | undefined {
  const [, bytes, order = '', style] = /^(\d+) ([\da-z]*)( spaced)?$/.exec(printedAs) ?? [];
  try {
    const json = JSON.parse(payloadText);
    const lines = JSON.stringify(json, readOrder(order, json), style && 1);
    // A line feed within a string is printed as \n.
    const printed = Buffer.from(style ? lines.replaceAll(/,\n */g, ', ').replaceAll(/\n */g, '') : lines);
    return printed.length === Number(bytes) ? printed : undefined;
  } catch {
    // Deeper than the call stack.
    return undefined;
  }
}

/** The index of each key among the sorted ones, in base 36. The keys themselves are in the payload. */
function formatOrder(keys: readonly string[]): string {
  const sorted = keys.toSorted();
  const width = keys.length > 36 ? 2 : 1;
  return keys.map((key) => sorted.indexOf(key).toString(36).padStart(width, '0')).join('');
}

function readOrder(order: string, json: unknown): string[] {
  const sorted = [...new Set(listKeys(json))].sort();
  const indexes = order.match(sorted.length > 36 ? /../g : /./g) ?? [];
  return indexes.flatMap((index) => sorted[Number.parseInt(index, 36)] ?? []);
}

function listKeys(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(listKeys)];
}

/** `at`: what was compared. The keys are in one order of all objects. */
type Text = { body: Buffer; at: number; keys: string[]; comma: string; colon: string };

/** Whether a value is what follows in a text. False also for too many keys, levels or digits. */
function isPrinted(value: unknown, text: Text, depth = 0): boolean {
  if (typeof value === 'string') return skipString(text);
  if (typeof value !== 'object' || value === null) return isShort(value) && skip(String(value), text);
  if (depth === maxDepth) return false;
  if (!Array.isArray(value)) return addKeys(value, text.keys) && isObjectPrinted(value, text, depth + 1);
  const isNext = (each: unknown, i: number) =>
    skip(i === 0 ? '[' : text.comma, text) && isPrinted(each, text, depth + 1);
  return value.every(isNext) && skip(value.length === 0 ? '[]' : ']', text);
}

/** PostgreSQL writes out the digits of a number that is printed with an exponent. */
const isShort = (value: unknown) =>
  typeof value !== 'number' || value === 0 || (Math.abs(value) >= 1e-6 && Math.abs(value) < 1e21);

function isObjectPrinted(object: object, text: Text, depth: number): boolean {
  let before = '{';
  for (const key in object) {
    const isNext = skip(before, text) && skipKey(key, text) && skip(text.colon, text);
    if (!isNext || !isPrinted(object[key as keyof object], text, depth)) return false;
    before = text.comma;
  }
  return skip(before === '{' ? '{}' : '}', text);
}

/** JSON.parse moves keys of digits to the front. */
const skipKey = (key: string, text: Text) =>
  key >= '0' && key < ':' ? skip(JSON.stringify(key), text) : skipString(text);

/** Adds the keys of one object, new ones behind the one before them. */
function addKeys(object: object, keys: string[]): boolean {
  let last = -1;
  for (const key in object) {
    // As a rule the next key follows: then nothing is searched.
    let index = keys[last + 1] === key ? last + 1 : keys.indexOf(key);
    if (index === -1) {
      // Every object inherits a __proto__, which JSON.stringify would print.
      if (keys.length === maxKeys || key === '__proto__') return false;
      index = last + 1;
      keys.splice(index, 0, key);
    } else if (index < last) return false;
    last = index;
  }
  return true;
}

function skip(expected: string, text: Text): boolean {
  for (let i = 0; i < expected.length; i++) {
    if (text.body[text.at++] !== expected.charCodeAt(i)) return false;
  }
  return true;
}

function skipString(text: Text): boolean {
  const start = text.at;
  text.at = findStringEnd(text.body, start) + 1;
  return text.body[start] === quote;
}

export type StoredMessage = {
  readonly body: Buffer | null;
  readonly payloadText: string | null;
  readonly payloadEncoding: 'json' | 'text' | 'base64' | 'none';
  readonly printedAs: string | null;
};

/**
 * Of an event that plain SQL inserted or changed, they are its payload as PostgreSQL prints it, also if its
 * encoding or print is not that of the payload.
 */
export function restoreBody({ body, payloadText, payloadEncoding, printedAs }: StoredMessage): Buffer {
  if (body) return body;
  if (payloadText === null || payloadEncoding === 'none') return Buffer.alloc(0);
  const printed = printedAs === null ? undefined : printMessage(payloadText, printedAs);
  if (payloadEncoding === 'json') return printed ?? Buffer.from(payloadText);
  const text = parseJson(payloadText);
  if (typeof text !== 'string') return Buffer.from(payloadText);
  if (payloadEncoding === 'text') return Buffer.from(text);
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
  return isBase64 ? Buffer.from(text, 'base64') : Buffer.from(payloadText);
}
