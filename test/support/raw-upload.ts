import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

type Upload = {
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes to send of the body, which goes on after them. */
  readonly bytes: number;
  /** Bytes of one HTTP chunk, in chunked transfer encoding; by default the body has a length. */
  readonly chunkBytes?: number;
};

export type OpenUpload = {
  readonly socket: Socket;
  /** The status of the response, once it has come. */
  readonly status: Promise<number>;
  readonly isClosed: () => boolean;
};

/** Sends a part of a body and leaves the request open, as no HTTP client does. */
export async function openUpload(
  url: string,
  { headers = {}, bytes, chunkBytes }: Upload,
): Promise<OpenUpload> {
  const { port, pathname } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const length = chunkBytes === undefined ? `content-length: ${bytes + 1}` : 'transfer-encoding: chunked';
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const received: Buffer[] = [];
  const status = new Promise<number>((resolve) => {
    socket.on('data', (data) => {
      received.push(data);
      const [, code] = /^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(received).toString('latin1')) ?? [];
      if (code) resolve(Number(code));
    });
  });
  socket.write(`POST ${pathname} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}${length}\r\n\r\n`);
  socket.write(chunkBytes === undefined ? Buffer.alloc(bytes, 'x') : printChunks(bytes, chunkBytes));
  return { socket, status, isClosed: () => socket.closed };
}

function printChunks(bytes: number, chunkBytes: number): string {
  const chunk = `${chunkBytes.toString(16)}\r\n${'x'.repeat(chunkBytes)}\r\n`;
  return chunk.repeat(Math.ceil(bytes / chunkBytes));
}
