import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, before, beforeEach } from 'node:test';

export type Received = {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
};

export type Answer = (request: Received, response: ServerResponse) => void;

export type HttpTarget = {
  readonly url: string;
  /** Everything that arrived, in order, since the test began. */
  readonly received: Received[];
  /** How the target answers from now on; 200 at the start of each test. */
  answer: Answer;
};

/** A real HTTP server on loopback that keeps what it is sent. */
export function useHttpTarget(): () => HttpTarget {
  const received: Received[] = [];
  const ok: Answer = (_request, response) => response.writeHead(200).end('ok');
  const target = { url: '', received, answer: ok };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers, rawHeaders } = request;
      const arrived = { path, headers, rawHeaders, body: Buffer.concat(chunks) };
      received.push(arrived);
      target.answer(arrived, response);
    });
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address && typeof address === 'object') target.url = `http://127.0.0.1:${address.port}/`;
  });
  beforeEach(() => {
    received.length = 0;
    target.answer = ok;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => target;
}
