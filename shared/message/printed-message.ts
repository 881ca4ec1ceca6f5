import { parseJson } from '../json/parse-json.ts';

// A message whose bytes PostgreSQL need not store beside its payload. JSON that a program printed can be
// printed again from its value: only the order of the keys and the spaces differ from how PostgreSQL prints
// it.

/** `compact` is the style of JSON.stringify, Jackson and Go, `spaced` that of Python's json.dumps. */
const styles = {
  compact: (json: unknown, keys: string[] | null) => JSON.stringify(json, keys),
  // A line feed within a string is printed as \n.
  spaced: (json: unknown, keys: string[] | null) =>
    JSON.stringify(json, keys, 1).replaceAll(/,\n */g, ', ').replaceAll(/\n */g, ''),
};

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
 */
export function findPrint(json: unknown, body: Buffer): string | null {
  // Escapes have many spellings, and jsonb cannot hold all that they stand for.
  if (body.length < minBytes || body.length > maxBytes || body.includes('\\u')) return null;
  const keys: string[] = [];
  if (!orderKeys(json, keys)) return null;
  const text = body.toString();
  // V8 reads `{"\"":1}` as `{"\\":1}` after another `{"\\":1}` (https://github.com/nodejs/node/issues/63785).
  const isEscaped = (key: string) => JSON.stringify(key).length !== key.length + 2;
  if (body.includes('\\') && keys.some(isEscaped)) return null;
  const print = `${body.length} ${formatOrder(keys)}`;
  // Without the keys, which is faster: each object has them in this order.
  if (styles.compact(json, null) === text) return print;
  return /": |, /.test(text) && styles.spaced(json, null) === text ? `${print} spaced` : null;
}

/** Undefined for a print that `findPrint` did not return of this message. */
function printMessage(payloadText: string, printedAs: string): Buffer | undefined {
  const [, bytes, order = '', style = 'compact'] = /^(\d+) ([\da-z]*)(?: (spaced))?$/.exec(printedAs) ?? [];
  try {
    const json = JSON.parse(payloadText);
    const printed = Buffer.from(styles[style as keyof typeof styles](json, readOrder(order, json)));
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
  const sorted = [...listKeys(json)].toSorted();
  const indexes = order.match(sorted.length > 36 ? /../g : /./g) ?? [];
  return indexes.flatMap((index) => sorted[Number.parseInt(index, 36)] ?? []);
}

function listKeys(value: unknown, keys = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return keys;
  for (const [key, each] of Object.entries(value)) {
    if (!Array.isArray(value)) keys.add(key);
    listKeys(each, keys);
  }
  return keys;
}

/** In one order of all objects. False if there is none, and for too many keys, levels or digits. */
function orderKeys(value: unknown, keys: string[], depth = 0): boolean {
  // PostgreSQL writes out the digits of a number that is printed with an exponent.
  if (typeof value === 'number') return value === 0 || (Math.abs(value) >= 1e-6 && Math.abs(value) < 1e21);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === maxDepth) return false;
  if (Array.isArray(value)) return value.every((each) => orderKeys(each, keys, depth + 1));
  if (!addKeys(value, keys)) return false;
  for (const key in value) {
    if (!orderKeys((value as Record<string, unknown>)[key], keys, depth + 1)) return false;
  }
  return true;
}

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
  return isBase64(text) ? Buffer.from(text, 'base64') : Buffer.from(payloadText);
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
