import * as zlib from 'node:zlib';
import { toContent } from './content.ts';
import { decodeText } from './decode-text.ts';
import { readHeader } from './header-values.ts';
import type { Message } from './message.ts';

/** Decompressed bytes that are read of one message, and of all messages of one request. */
const maxMessageBytes = 2 ** 20;
const maxRequestBytes = 2 ** 23;

type Decompress = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

const decompressors = new Map<string, Decompress>([
  ['gzip', zlib.gunzipSync],
  ['x-gzip', zlib.gunzipSync],
  ['deflate', zlib.inflateSync],
  ['br', zlib.brotliDecompressSync],
  ['zstd', zlib.zstdDecompressSync],
]);

/**
 * For all messages of a request: in another charset, or in the `content-encoding` that their headers declare.
 * Bytes stay as they are; operators see the text, and facts are read from it.
 */
export function openEncodedReader(): (message: Message) => Message {
  let left = maxRequestBytes;
  const readPlain = ({ body, headers }: Message): Buffer | undefined => {
    const decompress = decompressors.get(readHeader(headers, 'content-encoding')?.toLowerCase() ?? '');
    if (!decompress) return body;
    const maxOutputLength = Math.min(left, maxMessageBytes);
    if (maxOutputLength === 0) return undefined;
    try {
      const plain = decompress(body, { maxOutputLength });
      left -= plain.length;
      return plain;
    } catch {
      // Other bytes than declared, or too many.
      left -= Math.min(maxOutputLength, body.length * 1000);
      return undefined;
    }
  };
  return (message) => {
    if (message.json !== undefined || message.text !== undefined) return message;
    const plain = readPlain(message);
    if (plain === undefined) return message;
    const { body, json } = decodeText(plain, message.contentType ?? undefined) ?? toContent(plain);
    return json === undefined ? message : { ...message, json, text: body.toString() };
  };
}
