import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { ConfigError } from '../../shared/errors.ts';
import { installation } from '../installation.ts';

/** A server that listens on its port. */
export type Listening = Awaited<ReturnType<typeof listenOnLoopback>>;

/** Listens on both loopback addresses, since `localhost` may mean either. Port 0 takes any free port. */
export async function listenOnLoopback(port: number, listener: RequestListener) {
  const first = await openServer(port, '127.0.0.1', listener);
  const address = first.address();
  const chosen = typeof address === 'object' && address ? address.port : port;
  const second = await openServer(chosen, '::1', listener).catch((error: unknown) => {
    if (codeOf(error) !== 'EADDRINUSE') return undefined;
    first.close();
    throw error;
  });
  const servers = second ? [first, second] : [first];
  return {
    port: chosen,
    servers,
    /** Accepts no further requests, and closes all connections. */
    close: async () => {
      const closed = servers.map((server) => once(server.close(), 'close'));
      for (const server of servers) server.closeAllConnections();
      await Promise.all(closed);
    },
  };
}

/** Listens as listenOnLoopback does. Throws a ConfigError about PORT if the port is taken or reserved. */
export async function listenOnPort(port: number, listener: RequestListener) {
  try {
    return await listenOnLoopback(port, listener);
  } catch (error) {
    const remedies: Readonly<Record<string, string>> = {
      EADDRINUSE: `Another program listens on this port. Stop it, or choose another: PORT=${port + 1} ${installation.start}`,
      EADDRNOTAVAIL: 'This system lacks 127.0.0.1, where the service listens: ip addr add 127.0.0.1/8 dev lo',
      EACCES: `This system reserves the port for administrators. Choose one from 1024: PORT=8080 ${installation.start}`,
    };
    const remedy = remedies[codeOf(error)];
    if (remedy === undefined) throw error;
    throw new ConfigError([{ field: 'PORT', value: port, remedy }]);
  }
}

async function openServer(port: number, host: string, listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(port, host);
  await once(server, 'listening');
  return server;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
