import { createServer } from 'node:http';

export type Recorder = {
  readonly url: string;
  /** The objects that were posted, in their order, one for each failure. */
  readonly posted: readonly Readonly<Record<string, unknown>>[];
};

/** Starts an endpoint that passes requests on to capture, and keeps them. */
export async function startRecorder(capture: string): Promise<Recorder> {
  const posted: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { 'dlo-event-id': eventId } = request.headers;
    const headers = {
      'content-type': 'application/json',
      ...(eventId !== undefined && { 'dlo-event-id': `${eventId}` }),
    };
    const answer = await fetch(capture, { method: 'POST', headers, body });
    response.writeHead(answer.status).end(await answer.text());
    if (answer.ok) posted.push(...[JSON.parse(body.toString())].flat());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const address = server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, posted };
}
