import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type DatabaseLink = {
  /** URL of the database through this link. */
  readonly url: string;
  /** Breaks every connection and refuses new ones. Idempotent. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** The connections that are open now stay open and carry nothing any more, in either direction. New ones work. */
  freeze(): void;
};

/** Opens a proxy to the database that can be cut or frozen, as by a failover, a lost network or a NAT gateway. */
export async function openDatabaseLink(databaseUrl: string): Promise<DatabaseLink> {
  const url = new URL(databaseUrl);
  const { hostname, port: serverPort } = url;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(serverPort), hostname);
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on('error', () => end.destroy());
      end.on('close', () => sockets.delete(end));
    }
    socket.pipe(onward).pipe(socket);
  });
  // A test that fails before it cuts the link must not keep the process alive.
  server.unref();
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : port;
  };
  const port = await listen(0);
  url.host = `127.0.0.1:${port}`;
  const cut = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const freeze = () => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  return { url: url.href, cut, mend: async () => void (await listen(port)), freeze };
}
