import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach } from 'node:test';

/** What happens to a request: `pass` forwards it to the real capture function and returns its answer. */
type Handle = (pass: () => Promise<Response>, response: ServerResponse) => Promise<void>;

export type CaptureGate = {
  readonly url: string;
  /** Bodies of all requests of the test. */
  readonly requests: Buffer[];
  /** Handles the next request; all others pass. */
  next(handle: Handle): void;
};

/** An HTTP server before the capture function, which can lose requests and answers. */
export function useCaptureGate(capture: () => { readonly url: string }): () => CaptureGate {
  const handlers: Handle[] = [];
  const requests: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    requests.push(body);
    const headers = { ...(request.headers as Record<string, string>) };
    for (const name of ['host', 'connection', 'transfer-encoding', 'content-length']) delete headers[name];
    const pass = () => fetch(capture().url, { method: 'POST', headers, body: new Uint8Array(body) });
    const handle = handlers.shift() ?? passOn;
    await handle(pass, response);
  });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    handlers.length = 0;
    requests.length = 0;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => ({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    next: (handle) => handlers.push(handle),
  });
}

async function passOn(pass: () => Promise<Response>, response: ServerResponse): Promise<void> {
  const answer = await pass();
  response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
}
