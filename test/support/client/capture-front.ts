import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { after, before, beforeEach } from 'node:test';

/**
 * The answer to the next request: a status in place of capture's answer; `unsent`, the connection breaks
 * before capture has the request; `unanswered`, it breaks after capture stored it; `silent`, no answer ever
 * comes; `stored`, none comes after capture stored it; `foreign`, another program answers with 200.
 */
export type Fault = number | 'unsent' | 'unanswered' | 'silent' | 'stored' | 'foreign';

export type CaptureFront = {
  readonly url: string;
  /** The faults of the next requests, in order. */
  readonly faults: Fault[];
  /** Headers of the requests that arrived, in order, since the test began. */
  readonly received: IncomingHttpHeaders[];
};

/** Stands between a client and capture, and breaks what it is told to. */
export function useCaptureFront(captureUrl: () => string): () => CaptureFront {
  const front = { url: '', faults: [] as Fault[], received: [] as IncomingHttpHeaders[] };
  const server = createServer(async (request, response) => {
    front.received.push(request.headers);
    const fault = front.faults.shift();
    if (fault === 'unsent') return response.destroy();
    const body = Buffer.concat(await request.toArray());
    if (fault === 'silent') return;
    if (fault === 'foreign') return response.end('<html>Welcome</html>');
    if (typeof fault === 'number') return response.writeHead(fault).end('a planned fault');
    const answer = await forward(captureUrl(), request.headers, body);
    if (fault === 'stored') return;
    if (fault === 'unanswered') return response.destroy();
    return respond(response, answer);
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address && typeof address === 'object') front.url = `http://127.0.0.1:${address.port}/`;
  });
  beforeEach(() => {
    front.faults.length = 0;
    front.received.length = 0;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => front;
}

async function forward(url: string, headers: IncomingHttpHeaders, body: Buffer): Promise<Response> {
  const { host: _, connection: __, upgrade: ___, 'content-length': ____, ...sent } = headers;
  const own = Object.entries(sent).map(([name, value]): [string, string] => [name, String(value)]);
  return await fetch(url, { method: 'POST', headers: own, body: new Uint8Array(body) });
}

async function respond(response: ServerResponse, answer: Response): Promise<void> {
  const retryAfter = answer.headers.get('retry-after');
  response.writeHead(answer.status, retryAfter === null ? {} : { 'retry-after': retryAfter });
  response.end(await answer.text());
}
