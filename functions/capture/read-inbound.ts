import type { IncomingMessage } from 'node:http';
import { decodeUtf8 } from '../../shared/capture/content.ts';
import { pickEntries } from '../../shared/capture/header-values.ts';
import type { Inbound } from '../../shared/capture/message.ts';
import type { Addressed } from '../../shared/capture/sources/find-source.ts';
import { readTarget } from '../request-target.ts';
import { covered, joinHeaders, type Signature } from './signature.ts';

/** `addressed`: the source of the request, and the rest of its path. */
type Reading = {
  readonly signature: Signature | undefined;
  readonly isDecompressed: boolean;
  readonly addressed: Addressed;
};

/**
 * Reads a request as the sender wrote it: header names in lower case, repeated headers joined by commas. Of a
 * signed request only what the signature covers says what the event is; the path is not among it. All other
 * headers are kept as headers of the message, because a person who saw a signed request could send it again
 * with others. The content encoding is a header of a message that still has it.
 */
export function readInbound(
  request: IncomingMessage,
  body: Buffer,
  { signature, isDecompressed, addressed }: Reading,
): Inbound {
  const { headers, latin1Headers } = readHeaders(request.rawHeaders);
  if (isDecompressed) delete headers['content-encoding'];
  const { source, path } = addressed;
  const { query } = readTarget(request.url);
  if (!signature) return { path, query, source, headers, latin1Headers, body };
  // A trace says nothing of the event, and each hop of a request may change it.
  const isBelieved = (name: string) =>
    name === 'traceparent' || (signature.version === 'v2' && covered.test(name));
  return {
    path: '',
    query,
    source,
    latin1Headers,
    signature: signature.digest.toString('base64url'),
    headers: pickEntries(headers, isBelieved),
    unsignedHeaders: pickEntries(headers, (name) => !isBelieved(name)),
    body,
  };
}

function readHeaders(rawHeaders: readonly string[]) {
  const headers = joinHeaders(rawHeaders);
  // Node decodes header values as Latin-1, one character per byte; most senders write UTF-8.
  const latin1Headers: string[] = [];
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (!/[\x80-\xff]/.test(value)) continue;
    const text = decodeUtf8(Buffer.from(value, 'latin1'));
    if (text === undefined) latin1Headers.push(name);
    else headers[name] = text;
  }
  return { headers, latin1Headers };
}
