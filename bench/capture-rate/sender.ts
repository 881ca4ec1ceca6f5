import { once } from 'node:events';
import net from 'node:net';

const end = Buffer.from('\r\n\r\n');

/**
 * Sends requests over one connection, each after the response to the previous one, until `endsAt` (ms, performance.now).
 * Does as little work as possible: it shares its cores with the function that it measures. Returns the number of
 * responses with status 200; throws for any other status.
 */
export async function sendUntil(url: URL, makeBody: () => string, endsAt: number): Promise<number> {
  const socket = net.connect(Number(url.port), url.hostname).setNoDelay(true);
  await once(socket, 'connect');
  const head = `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\ncontent-length: `;
  let answered = 0;
  let rest: Buffer = Buffer.alloc(0);
  const next = () => {
    const body = makeBody();
    socket.write(`${head}${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const length = measureAnswer(rest);
    if (length === undefined || rest.length < length) return;
    if (rest.toString('latin1', 9, 12) !== '200')
      return void socket.destroy(new Error(rest.toString('utf8', 0, length)));
    rest = Buffer.alloc(0);
    answered++;
    if (performance.now() < endsAt) next();
    else socket.end();
  });
  next();
  await once(socket, 'close');
  return answered;
}

/** The length of a response in bytes, head and body; undefined while the head is incomplete. */
function measureAnswer(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf(end);
  if (headEnd < 0) return undefined;
  const length = /content-length: (\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1];
  if (length === undefined) throw new Error('The response has no content-length.');
  return headEnd + end.length + Number(length);
}
