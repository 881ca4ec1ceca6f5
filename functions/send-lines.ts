import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { log } from '../shared/log.ts';

/**
 * Sends lines as a response as fast as the client reads them. The head is sent with the first lines, so that an error before
 * them is thrown; a later error breaks the connection, which the client sees as an incomplete response.
 */
export async function sendLines(
  response: ServerResponse,
  lines: AsyncGenerator<string>,
  setHead: () => void,
): Promise<void> {
  const first = await lines.next();
  setHead();
  if (first.done) {
    response.end();
    return;
  }
  response.write(first.value);
  await pipeline(Readable.from(lines), response).catch((error: unknown) => {
    log('WARNING', 'Export ended early.', { action: 'export', cause: String(error) });
    response.destroy();
  });
}
