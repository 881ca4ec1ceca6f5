import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export type DatabaseLink = {
  /** URL of the database through this link. */
  readonly url: string;
  /** Breaks every connection and refuses new ones. Idempotent. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /**
   * The connections that are open now stay open and carry nothing any more, in either direction. New ones
   * work.
   */
  freeze(): void;
  /** The next connection breaks at the moment when it can be used. */
  breakNext(): void;
};

/**
 * Opens a proxy to the database that can be cut or frozen, as by a failover, a lost network or a NAT gateway.
 */
export async function openDatabaseLink(databaseUrl: string): Promise<DatabaseLink> {
  const url = new URL(databaseUrl);
  const { hostname, port: serverPort } = url;
  const sockets = new Set<Socket>();
  let breaksNext = false;
  const server = createServer((socket) => {
    const onward = connect(Number(serverPort), hostname);
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on('error', () => end.destroy());
      end.on('close', () => sockets.delete(end));
    }
    socket.pipe(onward);
    if (breaksNext) onward.pipe(shutDownWhenReady()).pipe(socket);
    else onward.pipe(socket);
    breaksNext = false;
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
  const breakNext = () => {
    breaksNext = true;
  };
  return { url: url.href, cut, mend: async () => void (await listen(port)), freeze, breakNext };
}

/** Appends to the last message of a startup that of a server that shuts down. */
function shutDownWhenReady(): Transform {
  const ready = Buffer.from('Z\0\0\0\x05I');
  const shutdown = Buffer.from('E\0\0\0\x18SFATAL\0C57P01\0Mend\0\0');
  return new Transform({
    transform: (chunk: Buffer, _, done) =>
      done(null, chunk.subarray(-ready.length).equals(ready) ? Buffer.concat([chunk, shutdown]) : chunk),
  });
}
