import { findExcess } from '../json/find-excess.ts';
import { findJsonError } from '../json/find-json-error.ts';
import type { HeaderValue } from '../message/event.ts';
import { type Content, decodeUtf8, isJsonType, toContent } from './content.ts';
import { decompressAtOnce, explainEncoding, findEncoding, listEncodings } from './content-encoding.ts';
import { lastText } from './header-values.ts';

/**
 * Bytes that are no JSON in UTF-8 are read by their byte-order mark, the charset of their media type, or as
 * JSON in UTF-16, of whose first two bytes one is zero.
 */
export function readContent(body: Buffer, contentType: string | null | undefined): Content {
  const content = toContent(body);
  if (content.json !== undefined || body.length === 0) return content;
  const charset = findCharset(body, contentType ?? '');
  const text = charset && decode(body, charset);
  if (!charset || text === undefined) return content;
  const parse = (each: string | undefined) => toContent(Buffer.from(each ?? '')).json;
  const json = parse(text);
  // Bytes of any kind may begin as UTF-16 does: all of it, or its first line, is JSON, or it is declared.
  const isDeclared = !charset.startsWith('utf-16') || /^text\/|charset="?utf-16/i.test(contentType ?? '');
  return isDeclared || (json ?? parse(text.split('\n', 1)[0])) !== undefined ? { body, json, text } : content;
}

function findCharset(body: Buffer, contentType: string): string | undefined {
  const [first = 1, second = 1, third] = body;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || (second === 0 && first !== 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return /;[ \t]{0,9}charset="?(?!utf-?8\b)([\w:.-]{1,40})/i.exec(contentType)?.[1];
}

/** Without the byte-order mark. Undefined for an unknown charset, and if `fatal` for bytes not of it. */
function decode(body: Buffer, charset: string, fatal = true): string | undefined {
  try {
    return new TextDecoder(charset, { fatal }).decode(body);
  } catch {
    return undefined;
  }
}

/** Why it is not read: `not JSON: position 81`, in characters from 0. Undefined if no JSON is declared. */
function explainUnread({ body, json }: Content, contentType: string | null): string | undefined {
  if (json !== undefined || body.length === 0 || !isJsonType.test(contentType ?? '')) return undefined;
  const charset = findCharset(body, contentType ?? '') ?? 'utf-8';
  const text = decode(body, charset);
  if (text === undefined)
    return `not ${charset.toUpperCase()}: position ${decode(body, charset, false)?.indexOf('\uFFFD') ?? 0}`;
  const excess = findExcess(Buffer.from(text));
  if (excess !== undefined) return `not read: ${excess}`;
  return `not JSON: position ${findJsonError(text)?.offset ?? 'unknown'}`;
}

/** Decompressed bytes that are read of one message, and of one request: each frame takes time, as some do. */
const maxMessageBytes = 2 ** 20;
const maxRequestBytes = 2 ** 23;
const frameBytes = 256;
const tooLarge = 'not read: more than 1 MiB decompressed, or 8 MiB of its request';

/**
 * For all messages of a request: in another charset, or in the `content-encoding` that their headers declare.
 * Bytes stay as they are; operators see the text, and facts are read from it.
 */
export function openEncodedReader() {
  let left = maxRequestBytes;
  /** As they are from the encoding on that cannot be undone. */
  const decompress = (body: Buffer, declared: string) => {
    let plain = body;
    for (const name of listEncodings(declared) ?? [declared]) {
      const [, open] = findEncoding(name, plain) ?? [];
      if (!open) return { plain, unread: explainEncoding(name) };
      const maxOutputLength = Math.min(left, maxMessageBytes);
      try {
        const frames = decompressAtOnce(open, plain, maxOutputLength);
        plain = Buffer.concat(frames);
        left -= plain.length + frameBytes * frames.length;
      } catch (error) {
        left -= Math.min(maxOutputLength, plain.length * 1000);
        return { plain, unread: error instanceof RangeError ? tooLarge : `not ${name}` };
      }
    }
    return { plain };
  };
  return (content: Content, contentType: string | null, encoding: HeaderValue | undefined): Content => {
    const { body, json } = content;
    const declared = lastText(encoding);
    const isRead = content.unread !== undefined || (json !== undefined && declared === null);
    if (body.length === 0 || isRead) return content;
    const { plain, unread } = decompress(body, declared ?? '');
    if (json !== undefined) return { ...content, unread };
    const read = plain === body && content.text ? content : readContent(plain, contentType);
    const text = read.text ?? (plain === body ? undefined : decodeUtf8(plain));
    return { body, json: read.json, text, unread: unread ?? explainUnread(read, contentType) };
  };
}
