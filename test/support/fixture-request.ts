import type { Inbound } from '../../shared/capture/message.ts';
import type { Fixture } from './envelopes.ts';

/** A fixture's request as capture reads it. */
export function toInbound({ http }: Fixture): Inbound {
  const { pathname: path, searchParams: query } = new URL(http.path, 'http://localhost');
  const { headers, body, body_encoding: encoding } = http;
  if (encoding === 'json') return { path, query, headers, body: Buffer.from(JSON.stringify(body)) };
  return { path, query, headers, body: Buffer.from(String(body), encoding === 'text' ? 'utf8' : 'base64') };
}
