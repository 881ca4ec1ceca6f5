import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';
import { openIdentify } from '../../functions/identity/identify-caller.ts';
import { replay } from '../../functions/replay/replay.ts';
import type { ReplayDeps } from '../../functions/replay/replay-deps.ts';
import type { TestDatabase } from './database.ts';
import { openContract } from './openapi-contract.ts';
import { retryConfig } from './routes.ts';

export type ApiAnswer<Body> = { readonly status: number; readonly headers: Headers; readonly body: Body };

/** The replay API as a client sees it. Each answer was held against the OpenAPI document before it is returned. */
export type Api = {
  readonly url: string;
  /** `path` as in `/events?limit=1`. */
  get<Body>(path: string): Promise<ApiAnswer<Body>>;
  /** A body that is text is sent as it is. */
  post<Body>(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer<Body>>;
};

/** Serves the replay API to a suite as Node hands requests over, which is how it is deployed; whoever calls is Ann. */
export function useApi(database: () => TestDatabase, deps: Partial<ReplayDeps> = {}): () => Api {
  let server: Server | undefined;
  let api: Api | undefined;
  before(async () => {
    const callers = { audiences: [], iapAudience: undefined, trustsCloudRun: false, local: 'ann' };
    const { db } = database();
    const all = {
      db,
      routes: [],
      retry: retryConfig(),
      costLimit: 0,
      identify: openIdentify(callers),
      ...deps,
    };
    server = createServer(replay(all)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    api = await openApi(`http://127.0.0.1:${port}`);
  });
  after(() => {
    server?.closeAllConnections();
    server?.close();
  });
  return () => {
    if (!api) throw new Error('The API is served only while tests run.');
    return api;
  };
}

async function openApi(url: string): Promise<Api> {
  const document = await (await fetch(`${url}/openapi.json`)).json();
  const check = openContract(document as object);
  const call = async <Body>(
    method: string,
    path: string,
    body?: unknown,
    more = {},
  ): Promise<ApiAnswer<Body>> => {
    const sent =
      body === undefined
        ? { headers: more }
        : {
            headers: { 'content-type': 'application/json', ...more },
            body: typeof body === 'string' ? body : JSON.stringify(body),
          };
    const response = await fetch(url + path, { method, ...sent });
    const { status, headers } = response;
    const answer = await response.json();
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    assert.deepEqual(check({ method, path, status, type, answer }), [], JSON.stringify(answer));
    return { status, headers, body: answer as Body };
  };
  return {
    url,
    get: (path) => call('GET', path),
    post: (path, body, headers) => call('POST', path, body, headers),
  };
}
