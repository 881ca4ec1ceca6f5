import { createServer, type RequestListener, type Server } from 'node:http';
import { ConfigError } from '../../shared/errors.ts';

export type Listening = {
  readonly port: number;
  /** Takes no more requests, gives those under way `patienceMs` to finish, and then ends them. */
  readonly close: (patienceMs: number) => Promise<void>;
};

/** Listens on both loopback addresses, for `localhost` may mean either. Port 0 takes any free one. */
export async function listenOnLoopback(port: number, listener: RequestListener): Promise<Listening> {
  const first = await open(port, '127.0.0.1', listener);
  const address = first.address();
  const chosen = typeof address === 'object' && address ? address.port : port;
  const second = await open(chosen, '::1', listener).catch((error: unknown) => {
    if (!isInUse(error)) return undefined;
    first.close();
    throw error;
  });
  const servers = second ? [first, second] : [first];
  return {
    port: chosen,
    close: async (patienceMs) => {
      await Promise.all(servers.map((server) => close(server, patienceMs)));
    },
  };
}

/** Like listenOnLoopback, but a port that is taken becomes a problem for the person who chose it. */
export async function listenForPeople(port: number, listener: RequestListener): Promise<Listening> {
  try {
    return await listenOnLoopback(port, listener);
  } catch (error) {
    const remedy = explain(error, port);
    if (remedy === undefined) throw error;
    throw new ConfigError([{ field: 'PORT', value: port, remedy }]);
  }
}

function open(port: number, host: string, listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve(server));
  });
}

function close(server: Server, patienceMs: number): Promise<void> {
  const patience = setTimeout(() => server.closeAllConnections(), patienceMs);
  return new Promise((resolve) => {
    server.close(() => {
      clearTimeout(patience);
      resolve();
    });
  });
}

function explain(error: unknown, port: number): string | undefined {
  if (isInUse(error)) {
    return `Another program listens on this port. Stop it, or choose another one: PORT=${port + 1} npm start`;
  }
  if (codeOf(error) === 'EACCES') {
    return 'This system keeps the port for administrators. Choose one from 1024 up: PORT=8080 npm start';
  }
  return undefined;
}

function isInUse(error: unknown): boolean {
  return codeOf(error) === 'EADDRINUSE';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
