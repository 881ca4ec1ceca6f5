import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Inbound } from './message.ts';
import { decodeUtf8 } from './text.ts';

/** The request as the sender wrote it: its own headers, in lower case and joined where repeated, and its bytes. */
export function toInbound(request: IncomingMessage, bytes: Buffer): Inbound {
  const headers = readHeaders(request.rawHeaders);
  const body = decompress(bytes, headers['content-encoding']);
  const { path, query } = readUrl(request.url ?? '/');
  return { path, query, headers, body };
}

let latest: ({ readonly url: string } & Pick<Inbound, 'path' | 'query'>) | undefined;

/** Kept for the next request, as most senders have one URL. */
function readUrl(url: string): Pick<Inbound, 'path' | 'query'> {
  if (latest?.url !== url) {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    latest = { url, path: pathname, query: searchParams };
  }
  return latest;
}

function readHeaders(rawHeaders: readonly string[]): Record<string, string> {
  // Without a prototype: a header may be called "constructor".
  const headers: Record<string, string> = Object.create(null);
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    const value = toText(rawHeaders[i + 1] ?? '');
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/** Node hands header values over as Latin-1, one character a byte; senders mostly mean UTF-8. */
function toText(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  return decodeUtf8(Buffer.from(value, 'latin1')) ?? value;
}

/** What would become more than this is a bomb. */
const limit = { maxOutputLength: 128 * 2 ** 20 };
const decompressors: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes, limit),
  deflate: (bytes) => inflateSync(bytes, limit),
  br: (bytes) => brotliDecompressSync(bytes, limit),
};

/** Compression belongs to the transport. Bytes that are not what their header claims, or a bomb, are kept as they came. */
function decompress(bytes: Buffer, encoding: string | undefined): Buffer {
  try {
    return decompressors[encoding?.toLowerCase() ?? '']?.(bytes) ?? bytes;
  } catch {
    return bytes;
  }
}
