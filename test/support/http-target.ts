import type { IncomingMessage, ServerResponse } from 'node:http';
import { before, beforeEach } from 'node:test';
import { useServer } from './server.ts';

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
  const origin = useServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers, rawHeaders } = request;
      const arrived = { path, headers, rawHeaders, body: Buffer.concat(chunks) };
      received.push(arrived);
      target.answer(arrived, response);
    });
  });
  before(() => {
    target.url = `${origin()}/`;
  });
  beforeEach(() => {
    received.length = 0;
    target.answer = ok;
  });
  return () => target;
}
