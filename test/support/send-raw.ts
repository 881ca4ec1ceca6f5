import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends a request line and headers as they are, without a body, and returns the status of the response. */
export async function sendRaw(
  url: string,
  requestLine: string,
  headers: readonly string[] = [],
): Promise<number> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const lines = [requestLine, ...headers, 'Connection: close', 'Content-Length: 0'];
  const isHostGiven = headers.some((header) => /^host:/i.test(header));
  if (!isHostGiven) lines.push('Host: localhost');
  socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(chunks).toString('latin1')) ?? [];
  return Number(status);
}
