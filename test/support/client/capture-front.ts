import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { beforeEach } from 'node:test';
import { useServer } from '../server.ts';

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
  const front = { faults: [] as Fault[], received: [] as IncomingHttpHeaders[] };
  const origin = useServer(async (request, response) => {
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
  beforeEach(() => {
    front.faults.length = 0;
    front.received.length = 0;
  });
  return () => ({ ...front, url: `${origin()}/` });
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
