import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One connection of a function to the database, as the proxy between them sees it. */
export type Connection = {
  /** The port that the server sees: `client_port` of pg_stat_activity. */
  readonly port: number;
  readonly openedAt: number;
  /** Whether the function waits for the answer to something that it has sent. */
  isInUse: boolean;
  isClosed: boolean;
  /** Bytes that the proxy has received and not passed on. */
  withheld: number;
  /**
   * Passes on nothing any more, in either direction; its ends do not hear of each other, not even of a close.
   */
  silence(): void;
  /** Passes on everything that was withheld, and again what comes. */
  thaw(): void;
  reset(): void;
};

/** The proxy between one process and the database: every connection of the process goes through it. */
export type Link = {
  readonly url: string;
  readonly connections: Set<Connection>;
  /** How long each chunk takes, in ms. */
  delayMs: number;
  /** The SQLSTATEs of errors that passed, since the beginning. */
  readonly errors: Map<string, number>;
  /**
   * Resolves when the function next sends something, before it is passed on; undefined if it does not within
   * `ms`.
   */
  nextUse(ms: number): Promise<Connection | undefined>;
  /** Of the next chunk that the function sends, passes on half, and then nothing any more. */
  splitNext(ms: number): Promise<Connection | undefined>;
  refuse(): Promise<void>;
  accept(): Promise<void>;
  close(): Promise<void>;
};

type Use = { readonly isSplit: boolean; readonly resolve: (connection: Connection) => void };

export async function openLink(databaseUrl: string): Promise<Link> {
  const url = new URL(databaseUrl);
  const [serverPort, serverHost] = [Number(url.port), url.hostname];
  const connections = new Set<Connection>();
  const errors = new Map<string, number>();
  const uses: Use[] = [];
  const server = createServer((socket) => {
    const onward = connect(serverPort, serverHost);
    onward.once('connect', () => join(socket, onward));
    onward.once('error', () => socket.destroy());
    socket.on('error', () => socket.destroy());
  });

  const join = (client: Socket, onward: Socket) => {
    const queue: { readonly to: Socket; readonly chunk: Buffer | undefined }[] = [];
    let isSilent = false;
    const connection: Connection = {
      port: (onward.address() as AddressInfo).port,
      openedAt: Date.now(),
      isInUse: false,
      isClosed: false,
      withheld: 0,
      silence() {
        isSilent = true;
      },
      thaw() {
        isSilent = false;
        for (const { to, chunk } of queue.splice(0)) pass(to, chunk);
        connection.withheld = 0;
      },
      reset() {
        isSilent = false;
        for (const socket of [client, onward]) {
          // With writes in progress Node.js waits for the handle of a reset socket forever.
          if (socket.writableLength > 0) socket.destroy();
          else if (!socket.destroyed) socket.resetAndDestroy();
        }
        connections.delete(connection);
      },
    };
    const pass = (to: Socket, chunk: Buffer | undefined) => {
      if (to.destroyed) return;
      if (chunk) to.write(chunk);
      else to.destroy();
    };
    /** Chunks keep their order: each waits as long as the one before. */
    let last = Promise.resolve();
    const forward = (to: Socket, chunk: Buffer | undefined) => {
      if (isSilent) {
        queue.push({ to, chunk });
        connection.withheld += chunk?.length ?? 0;
      } else if (link.delayMs === 0) {
        pass(to, chunk);
      } else {
        const { delayMs } = link;
        last = last.then(() => sleep(delayMs)).then(() => forwardNow(to, chunk));
      }
    };
    const forwardNow = (to: Socket, chunk: Buffer | undefined) => {
      if (isSilent) queue.push({ to, chunk });
      else pass(to, chunk);
    };
    const use = (chunk: Buffer) => {
      connection.isInUse = true;
      const next = isSilent ? undefined : uses.shift();
      if (!next) return chunk;
      if (!next.isSplit) {
        next.resolve(connection);
        return chunk;
      }
      const half = Math.floor(chunk.length / 2);
      forward(onward, chunk.subarray(0, half));
      connection.silence();
      next.resolve(connection);
      return chunk.subarray(half);
    };
    client.on('data', (chunk: Buffer) => forward(onward, use(chunk)));
    onward.on('data', (chunk: Buffer) => {
      connection.isInUse = false;
      for (const [, code = ''] of chunk.toString('latin1').matchAll(/\0C([0-9A-Z]{5})\0M/g))
        errors.set(code, (errors.get(code) ?? 0) + 1);
      forward(client, chunk);
    });
    for (const [socket, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      socket.on('error', () => {});
      socket.on('close', () => {
        connection.isClosed = true;
        forward(other, undefined);
        if (!isSilent) connections.delete(connection);
      });
    }
    connections.add(connection);
  };

  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  url.host = `127.0.0.1:${port}`;
  const wait = async (isSplit: boolean, ms: number) => {
    const { promise, resolve } = Promise.withResolvers<Connection | undefined>();
    const use: Use = { isSplit, resolve };
    uses.push(use);
    const found = await Promise.race([promise, sleep(ms, undefined)]);
    if (!found && uses.includes(use)) uses.splice(uses.indexOf(use), 1);
    return found;
  };
  const link: Link = {
    url: url.href,
    connections,
    delayMs: 0,
    errors,
    nextUse: (ms) => wait(false, ms),
    splitNext: (ms) => wait(true, ms),
    async refuse() {
      if (!server.listening) return;
      server.close();
      for (const connection of connections) connection.reset();
    },
    async accept() {
      if (!server.listening) await listen(port);
    },
    async close() {
      await link.refuse();
    },
  };
  return link;
}
