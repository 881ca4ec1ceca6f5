import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';

/** Serves requests to a suite on loopback. Returns its origin, without a slash at its end. */
export function useServer(answer: RequestListener): () => string {
  // Closing an idle connection, a busy machine would reset the request that a client sends on it meanwhile.
  const server = createServer({ keepAliveTimeout: 0 }, answer);
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
