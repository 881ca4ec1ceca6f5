import { createServer, type IncomingHttpHeaders } from 'node:http';

type Posted = Readonly<Record<string, unknown>>;

export type Recorder = {
  readonly url: string;
  /** The objects that were posted, in their order, one for each failure. */
  readonly posted: readonly Posted[];
};

/** The failures of a request. */
export type Describe = (headers: IncomingHttpHeaders, body: Buffer) => readonly Posted[];

const readJson: Describe = (_, body) => [JSON.parse(body.toString())].flat();

/** Starts an endpoint that passes requests on to capture, and keeps them. */
export async function startRecorder(capture: string, describe = readJson): Promise<Recorder> {
  const posted: Posted[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const passed = Object.entries(request.headers).filter(([name]) => /^(dlo|x-debezium)-/.test(name));
    const isJson = /json/.test(request.headers['content-type'] ?? '');
    const contentType = isJson ? request.headers['content-type'] : 'application/json';
    const headers = { ...Object.fromEntries(passed), 'content-type': contentType } as Record<string, string>;
    const answer = await fetch(capture, { method: 'POST', headers, body });
    response.writeHead(answer.status).end(await answer.text());
    if (answer.ok) posted.push(...describe(request.headers, body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const address = server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, posted };
}
