import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call of the target: event, body, time in ms since the epoch, and the status of the response. */
export type Call = {
  readonly eventId: string;
  readonly body: string;
  readonly calledAt: number;
  readonly status: number;
};

export type RecordingTarget = {
  readonly url: string;
  /** Every call, in order of arrival. */
  readonly calls: Call[];
  close(): void;
};

/** Opens an HTTP target on loopback that records every call, and responds with a status after a time. */
export async function openRecordingTarget(
  answer: (call: Omit<Call, 'status'>) => { readonly status: number; readonly afterMs: number },
): Promise<RecordingTarget> {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const call = {
      eventId: String(request.headers['dlo-event-id']).split('.')[0] ?? '',
      body,
      calledAt: Date.now(),
    };
    const { status, afterMs } = answer(call);
    calls.push({ ...call, status });
    setTimeout(() => end(response, status), afterMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, calls, close };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  try {
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
  } catch {
    // A killed worker breaks off its request; the received part still counts.
  }
  return body;
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
