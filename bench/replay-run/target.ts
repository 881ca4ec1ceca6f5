import { createServer } from 'node:http';

export type CountingTarget = {
  readonly url: string;
  /** How often each event arrived, by its id. */
  readonly arrived: ReadonlyMap<string, number>;
  close(): void;
};

/** Starts an endpoint that accepts and counts every delivery. */
export async function startCountingTarget(): Promise<CountingTarget> {
  const arrived = new Map<string, number>();
  const server = createServer((request, response) => {
    const id = String(request.headers['dlo-event-id']).split('.')[0] ?? '';
    arrived.set(id, (arrived.get(id) ?? 0) + 1);
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, arrived, close };
}
