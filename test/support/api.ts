import assert from 'node:assert/strict';
import { before } from 'node:test';
import type { Endpoint } from '../../functions/endpoint.ts';
import { openIdentify } from '../../functions/identity/identify-caller.ts';
import { identifyUser } from '../../functions/identity/identify-user.ts';
import type { ApiDeps } from '../../functions/replay/api/operation.ts';
import type { IdentifyUser } from '../../functions/replay/api/serve-operations.ts';
import { replay } from '../../functions/replay/replay.ts';
import type { TestDatabase } from './database.ts';
import { type Contract, openContract } from './openapi-contract.ts';
import { retryConfig } from './routes.ts';
import { useServer } from './server.ts';

export type ApiAnswer<Body> = { readonly status: number; readonly headers: Headers; readonly body: Body };

/** The replay API as a client sees it. Every exchange is compared with the OpenAPI document. */
export type Api = {
  readonly url: string;
  /**
   * `<operationId> succeeded` or `<operationId> failed`, for each operation that was compared with the
   * document.
   */
  readonly compared: ReadonlySet<string>;
  /** `path` as in `/events?limit=1`. */
  get<Body>(path: string): Promise<ApiAnswer<Body>>;
  /** Sends text as it is and all else as JSON. */
  post<Body>(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer<Body>>;
};

/** Serves the replay API to a suite with Node's own requests, as in a deployment; the caller is Ann. */
export function useApi(
  database: () => TestDatabase,
  deps: Partial<ApiDeps & { readonly identify: IdentifyUser }> = {},
): () => Api {
  let endpoint: Endpoint | undefined;
  let api: Api | undefined;
  const origin = useServer((request, response) => endpoint?.(request, response));
  before(async () => {
    const callers = { iapAudience: undefined, cloudRunService: undefined, local: 'ann' };
    endpoint = replay({
      db: database().as('dlq_replay'),
      routes: [],
      retry: retryConfig(),
      costLimit: 0,
      identify: identifyUser(openIdentify(callers), { operators: [], viewers: [] }),
      ...deps,
    });
    api = await openApi(origin());
  });
  return () => {
    if (!api) throw new Error('The API is served only while tests run.');
    return api;
  };
}

/** Every suite of a process has the same document: to write and compile it takes longer than most suites. */
let contract: Contract | undefined;

async function openApi(url: string): Promise<Api> {
  contract ??= openContract((await (await fetch(`${url}/openapi.json`)).json()) as object);
  const compare = contract;
  const compared = new Set<string>();
  const send = async <Body>(path: string, { method, body, headers }: Request): Promise<ApiAnswer<Body>> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(url + path, { method, headers, ...(text !== undefined && { body: text }) });
    const { status } = response;
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const isJson = /^application\/(problem\+)?json$/.test(type);
    const answer = isJson ? await response.json() : await response.text();
    const sent = status < 400 && text !== undefined ? JSON.parse(text) : undefined;
    const { operationId, deviations } = compare({ method, path, sent, status, type, answer });
    assert.deepEqual(deviations, [], JSON.stringify(answer));
    compared.add(`${operationId} ${status < 400 ? 'succeeded' : 'failed'}`);
    return { status, headers: response.headers, body: answer as Body };
  };
  return {
    url,
    compared,
    get: (path) => send(path, { method: 'GET', headers: {} }),
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        body,
        headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      }),
  };
}

type Request = { readonly method: string; readonly body?: unknown; readonly headers: Record<string, string> };
