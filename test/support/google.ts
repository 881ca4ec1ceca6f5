import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach } from 'node:test';
import type { AuthClient } from 'google-auth-library';
import { askWith, type Google as OpenGoogle } from '../../infra/google-api.ts';
import { createAuthority } from './cloud-sql/certificates.ts';

export type GoogleRequest = {
  readonly method: string;
  /** Host and path, such as `run.googleapis.com/v2/projects/acme`. */
  readonly url: string;
  readonly query: URLSearchParams;
  readonly token: string;
  readonly body: unknown;
};
/** A body for 200, or a status and a message. */
export type GoogleAnswer = object | { readonly error: { readonly code: number; readonly message: string } };

export type Google = {
  /**
   * Answers the requests of a test; 404 if it returns undefined. Each test starts with one that answers
   * nothing.
   */
  answer: (request: GoogleRequest) => GoogleAnswer | undefined;
  /** The requests of the test, such as `GET run.googleapis.com/v2/projects/acme`. */
  readonly requests: string[];
  /** The environment with which a process asks this server instead of Google. */
  readonly env: Record<string, string>;
};

/** The arguments of a kind of dynamic resources, with a Google that answers in this process. */
export type WithGoogle = OpenGoogle & Pick<Google, 'answer' | 'requests'>;

/** Stands in for all APIs of Google, behind the client of this program. */
export function withGoogle(): WithGoogle {
  const request = async ({ url: address, method = 'GET', data: body }: GoogleCall) => {
    const { host, pathname, searchParams: query } = new URL(address);
    const url = host + pathname;
    google.requests.push(`${method} ${url}`);
    const { status, data } = toResponse(google.answer({ method, url, query, token: '', body }));
    if (status !== 200) throw Object.assign(new Error(`Status ${status}`), { response: { status, data } });
    return { data };
  };
  const ask = askWith({ request } as unknown as AuthClient, () => undefined);
  const google: WithGoogle = { answer: () => undefined, requests: [], connector: {}, ask };
  return google;
}

type GoogleCall = { readonly url: string; readonly method?: string; readonly data?: object };

function toResponse(answer: GoogleAnswer | undefined) {
  const data = answer ?? { error: { code: 404, message: 'Not found.' } };
  const { code: status = 200 } = (data as { readonly error?: { readonly code?: number } }).error ?? {};
  return { status, data };
}

/** Stands in for all APIs of Google, as a proxy. */
export function useGoogle(): () => Google {
  const google: Google = { answer: () => undefined, requests: [], env: {} };
  const web = createAuthority('web');
  const serve = (request: IncomingMessage, response: ServerResponse) => respond(google, request, response);
  const { certificate: cert, key } = web.issue('Google', ['*.googleapis.com']);
  const secure = createTlsServer({ cert, key }, serve);
  const proxy = createServer(serve);
  proxy.on('connect', (_request, socket: Socket) => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    secure.emit('connection', socket);
  });
  let folder = '';
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'dlo-google-'));
    const trusted = path.join(folder, 'web.pem');
    await writeFile(trusted, web.certificate);
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    Object.assign(google.env, {
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      NO_PROXY: '127.0.0.1',
      NODE_EXTRA_CA_CERTS: trusted,
      METADATA_SERVER_DETECTION: 'none',
      HOME: folder,
    });
  });
  beforeEach(() => {
    google.answer = () => undefined;
    google.requests.length = 0;
  });
  after(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await rm(folder, { recursive: true });
  });
  return () => google;
}

async function respond(google: Google, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', headers } = request;
  const { host, pathname, searchParams: query } = new URL(request.url ?? '', `https://${headers.host}`);
  const url = host + pathname;
  const token = (headers.authorization ?? '').replace('Bearer ', '');
  const sent = await text(request);
  google.requests.push(`${method} ${url}`);
  const body = headers['content-type']?.includes('json') && sent ? JSON.parse(sent) : sent;
  const { status, data } = toResponse(google.answer({ method, url, query, token, body }));
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(data));
}
