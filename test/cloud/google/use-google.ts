import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before } from 'node:test';
import type { Service } from './call.ts';
import { createGoogle, type Google } from './google.ts';
import type { Json } from './json.ts';
import { serveApis } from './serve-apis.ts';
import { addProject } from './services/resource-manager.ts';
import { memberOf, tokenOf } from './tokens.ts';

export type GoogleClient = {
  readonly google: Google;
  /** Calls a method: `call('GET', 'pubsub.googleapis.com/v1/projects/acme/topics/orders')`. */
  call(verb: string, address: string, body?: object): Promise<{ readonly code: number; readonly body: Json }>;
};

export const owner = 'user:ana@acme.example';

/** Serves some services of the stand-in to a suite, with a project `acme` of the owner who calls. */
export function useGoogle(...services: readonly ((google: Google) => Service)[]): () => GoogleClient {
  const google = createGoogle();
  addProject(google, 'acme', owner);
  const server = createServer(
    serveApis(
      google,
      services.map((service) => service(google)),
      memberOf,
    ),
  );
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  after(() => server.close());
  const call = async (verb: string, address: string, body?: object) => {
    const [host = ''] = address.split('/');
    const headers = { host, authorization: `Bearer ${tokenOf(owner)}`, 'content-type': 'application/json' };
    const { port } = server.address() as AddressInfo;
    const sent = request({ port, method: verb, path: address.slice(host.length), headers, agent: false });
    sent.end(body && JSON.stringify(body));
    const [response] = await once(sent, 'response');
    return { code: response.statusCode as number, body: JSON.parse(await text(response)) as Json };
  };
  return () => ({ google, call });
}
