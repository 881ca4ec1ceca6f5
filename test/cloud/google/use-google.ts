import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';
import type { Service } from './call.ts';
import { type ApiResponse, callApi } from './call-api.ts';
import { createGoogle, type Google } from './google.ts';
import { serveApis } from './serve-apis.ts';
import { addProject } from './services/resource-manager.ts';
import { memberOf } from './tokens.ts';

export type GoogleClient = {
  readonly google: Google;
  /** Calls a method: `call('GET', 'pubsub.googleapis.com/v1/projects/acme/topics/orders')`. */
  call(verb: string, address: string, body?: object): Promise<ApiResponse>;
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
  const call = (verb: string, address: string, body?: object) =>
    callApi({ port: (server.address() as AddressInfo).port, member: owner }, [verb, address], body);
  return () => ({ google, call });
}
