import { isDeeper, printJson } from '../json/parse-json.ts';
import { normalize } from '../json/slice-json.ts';
import type { Headers } from '../message/event.ts';
import { findPrint } from '../message/printed-message.ts';
import { type Content, decodeUtf8, utf8Of } from './content.ts';

/**
 * How PostgreSQL makes the payload, a view of a message for operators and queries. `content`: the text to
 * show where jsonb cannot hold that of the bytes. `printedAs`: how the bytes are restored from the payload,
 * so that they are not stored.
 */
export type Payload = {
  readonly encoding: 'json' | 'text' | 'base64' | 'none';
  readonly content?: string | undefined;
  readonly printedAs?: string;
};

/** PostgreSQL reads and prints jsonb by recursion: deeper JSON is one text. */
const maxDepth = 1000;

const longNumber = /(?:^|[[:,\s])-?[\d.]{15000}/;
const exponents = /(?<=(?:^|[[:,\s])-?[\d.]+)e[+-]?(\d+)/gi;

/** PostgreSQL writes out all digits of a number, up to a limit: 22 kB of `1e131071` would be 300 MB. */
function hasManyDigits(json: string): boolean {
  let digits = 0;
  for (const [, exponent] of json.matchAll(exponents)) {
    digits += Number(exponent);
    if (Number(exponent) > 1000) return true;
  }
  return digits > 1000 + 4 * json.length || longNumber.test(json);
}

/**
 * JSON and text of any charset as they are, else base64. Avro and Protobuf may be UTF-8 by chance: what is
 * declared as binary, or contains U+0000, is no text.
 */
export function toPayload(content: Content, headers: Headers): Payload {
  const { body, json, text } = content;
  if (body.length === 0) return { encoding: text === undefined ? 'none' : 'text' };
  if (headers.googclient_schemaencoding === 'BINARY') return { encoding: 'base64' };
  const printedAs = json === undefined || text !== undefined ? null : findPrint(json, body);
  if (printedAs !== null) return { encoding: 'json', printedAs };
  if (json === undefined || isDeeper(json, maxDepth) || hasManyDigits(utf8Of(content).toString())) {
    const shown = text ?? decodeUtf8(body) ?? '\0';
    return shown.includes('\0') ? { encoding: 'base64' } : { encoding: 'text', content: text };
  }
  // Only escapes are replaced, and most messages have none: those are not decoded.
  if (text === undefined && !body.includes('\\u')) return { encoding: 'json' };
  const shown = replaceUnstorable(utf8Of(content).toString());
  return shown === body.toString() ? { encoding: 'json' } : { encoding: 'json', content: shown };
}

/** A JSON value if jsonb stores it exactly, else its text as written. */
export function keepExactly({ value, source }: { readonly value: unknown; readonly source: Buffer }) {
  const text = source.toString();
  if (isDeeper(value, maxDepth)) return text;
  const printed = printJson(value);
  const isExact = printed === text || printed === normalize(text);
  return isExact && replaceUnstorable(printed) === printed ? value : text;
}

/** Of surrogates, a high one and its low one can be stored, and neither without the other. */
const unstorable = /\\u(?:0000|d[89ab]..(?!\\ud[c-f])|(?<!\\ud[89ab]..\\u)d[c-f]..)/gi;

/**
 * U+FFFD for escapes that neither text nor jsonb can hold. Works on the text: printing it again would change
 * large numbers. Without a call for each escape: a sender may send millions.
 */
export function replaceUnstorable(json: string): string {
  return markPlain(json).replaceAll(unstorable, String.raw`\ufffd`).split(mark).join('');
}

/** No JSON has this character. */
const mark = '\x01';

/** Marks each u behind backslashes that escape each other. A pattern fails at a run of a million of them. */
function markPlain(json: string): string {
  const parts: string[] = [];
  let end = 0;
  for (let at = json.indexOf('\\\\u'); at !== -1; at = json.indexOf('\\\\u', at + 3)) {
    // Most need no mark: what follows is none of what cannot be stored.
    if (!'0dD'.includes(json[at + 3] ?? '.')) continue;
    let start = at;
    while (json[start - 1] === '\\') start--;
    if ((at - start) % 2 === 1) continue;
    parts.push(json.slice(end, at + 2));
    end = at + 2;
  }
  parts.push(json.slice(end));
  return parts.join(mark);
}
