import { log } from '../shared/log.ts';

/**
 * Returns the body of a response that is read as fast as its client reads. Waits for the first lines, so that
 * an error before them is thrown; a later one breaks the connection, which the client sees.
 */
export async function streamLines(lines: AsyncGenerator<string>): Promise<ReadableStream<Uint8Array>> {
  const first = await lines.next();
  return ReadableStream.from(encodeLines(first, lines));
}

async function* encodeLines(first: IteratorResult<string>, rest: AsyncGenerator<string>) {
  const encoder = new TextEncoder();
  try {
    if (!first.done) yield encoder.encode(first.value);
    for await (const lines of rest) yield encoder.encode(lines);
  } catch (error) {
    log('WARNING', 'Export ended early.', { action: 'export', cause: String(error) });
    throw error;
  }
}
