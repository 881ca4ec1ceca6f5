import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Request } from '@google-cloud/functions-framework';
import type { Inbound } from './message.ts';
import { decodeUtf8 } from './text.ts';

/**
 * Makes the framework hand over every body as bytes. It would parse JSON before our code runs and answer 400 to what
 * is malformed, which is exactly what a dead letter queue must not lose. Node announces each request before any
 * parser sees it; under a type without a parser the bytes come through. `rawHeaders` keep what the sender wrote.
 */
export function keepRequestsRaw(): void {
  subscribe('http.server.request.start', (announced) => {
    const { request } = announced as { request: IncomingMessage };
    request.headers['content-type'] = 'application/octet-stream';
    delete request.headers['content-encoding'];
  });
}

/** The request as the sender wrote it: its own headers, in lower case and joined where repeated, and its bytes. */
export function toInbound(request: Request): Inbound {
  const headers = readHeaders(request.rawHeaders);
  const { pathname, searchParams } = new URL(request.originalUrl, 'http://localhost');
  const body = decompress(request.rawBody ?? Buffer.alloc(0), headers['content-encoding']);
  return { path: pathname, query: searchParams, headers, body };
}

function readHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    const value = toText(rawHeaders[i + 1] ?? '');
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/** Node hands header values over as Latin-1, one character a byte; senders mostly mean UTF-8. */
function toText(value: string): string {
  return decodeUtf8(Buffer.from(value, 'latin1')) ?? value;
}

const decompressors: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Compression belongs to the transport. Bytes that are not what their header claims are kept as they came. */
function decompress(bytes: Buffer, encoding: string | undefined): Buffer {
  try {
    return decompressors[encoding?.toLowerCase() ?? '']?.(bytes) ?? bytes;
  } catch {
    return bytes;
  }
}
