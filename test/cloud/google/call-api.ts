import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Json } from './json.ts';
import { tokenOf } from './tokens.ts';

export type ApiResponse = { readonly code: number; readonly body: Json };

/**
 * Calls a method of the stand-in as `member`. `address` is host and path:
 * `pubsub.googleapis.com/v1/projects/acme/topics`.
 */
export async function callApi(
  { port, member }: { readonly port: number; readonly member: string },
  [verb, address = '']: readonly string[],
  body?: object,
): Promise<ApiResponse> {
  const [host = ''] = address.split('/');
  const headers = { host, authorization: `Bearer ${tokenOf(member)}`, 'content-type': 'application/json' };
  const path = address.slice(host.length);
  const sent = request({ host: '127.0.0.1', port, method: verb, path, headers, agent: false });
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, 'response');
  return { code: response.statusCode as number, body: JSON.parse(await text(response)) as Json };
}
