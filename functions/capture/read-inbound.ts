import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { decodeUtf8 } from '../../shared/capture/decode-bytes.ts';
import type { Inbound } from '../../shared/capture/message.ts';

/**
 * Reads a request as the sender wrote it: header names in lower case, repeated headers joined by commas, and the body
 * without its content encoding.
 */
export function readInbound(request: IncomingMessage, bytes: Buffer): Inbound {
  const headers = readHeaders(request.rawHeaders);
  const body = decompress(bytes, headers['content-encoding']);
  // `//orders/1`, from a sender whose base URL ends in a slash, would be a host and a path.
  const target = (request.url ?? '/').replace(/^\/+/, '/');
  const { pathname: path, searchParams: query } = new URL(target, 'http://localhost');
  return { path, query, headers, body };
}

function readHeaders(rawHeaders: readonly string[]): Record<string, string> {
  // Without a prototype: a header can have the name "constructor".
  const headers: Record<string, string> = Object.create(null);
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    const value = toText(rawHeaders[i + 1] ?? '');
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/** Node decodes header values as Latin-1, one character per byte; most senders write UTF-8. */
function toText(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  return decodeUtf8(Buffer.from(value, 'latin1')) ?? value;
}

/** A body that would decompress to more than 128 MiB is treated as a decompression bomb. */
const limit = { maxOutputLength: 128 * 2 ** 20 };
const decompressors: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes, limit),
  deflate: (bytes) => inflateSync(bytes, limit),
  br: (bytes) => brotliDecompressSync(bytes, limit),
};

/** Compression belongs to the transport. A body that cannot be decompressed, or is a bomb, is kept as received. */
function decompress(bytes: Buffer, encoding: string | undefined): Buffer {
  try {
    return decompressors[encoding?.toLowerCase() ?? '']?.(bytes) ?? bytes;
  } catch {
    return bytes;
  }
}
