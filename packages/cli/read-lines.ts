import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { CommandError } from './command-error.ts';

/** A line of a file, from 1. Of other bytes than UTF-8, the text lacks some. */
export type Line = { readonly number: number; readonly text: string; readonly isUtf8: boolean };

/** The lines of a file, and its size in bytes; `-` is stdin, of unknown size. Throws a CommandError. */
export async function openLines(file: string, { stdin, signal }: Source) {
  if (file === '-') return { bytes: 0, lines: readLines(addAbortSignal(signal, stdin), 'stdin') };
  const { size: bytes } = await stat(file).catch((error: unknown) => failReading(file, error));
  return { bytes, lines: readLines(createReadStream(file, { signal }), file) };
}

type Source = { readonly stdin: Readable; readonly signal: AbortSignal };

/** Of a longer line, which no request may have, the rest is not kept. */
const maxKept = 2 ** 20;
const lineFeed = 10;

async function* readLines(input: Readable, file: string): AsyncGenerator<Line> {
  let kept = Buffer.alloc(0);
  let number = 0;
  const keep = (part: Buffer) => Buffer.concat([kept, part], Math.min(kept.length + part.length, maxKept));
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
        number += 1;
        yield* toLine(number, keep(chunk.subarray(from, end)));
        kept = Buffer.alloc(0);
        from = end + 1;
      }
      kept = keep(chunk.subarray(from));
    }
  } catch (error) {
    failReading(file, error);
  }
  yield* toLine(number + 1, kept);
}

const decoder = new TextDecoder();

/** A line, unless it is empty: without the carriage return at its end, and without a byte order mark. */
function toLine(number: number, bytes: Buffer): Line[] {
  const text = decoder.decode(bytes).replace(/\r$/, '');
  return text.trim() === '' ? [] : [{ number, text, isUtf8: isUtf8(bytes) }];
}

function failReading(file: string, cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new CommandError('usage', `${file} cannot be read: ${reason}`, { cause });
}

type Limits = { readonly maxLines: number; readonly maxBytes: number };

/** Batches of lines; one that is larger than `maxBytes` is alone. */
export async function* batchLines(
  lines: AsyncIterable<Line>,
  { maxLines, maxBytes }: Limits,
): AsyncGenerator<Line[]> {
  let batch: Line[] = [];
  let bytes = 0;
  for await (const line of lines) {
    const size = Buffer.byteLength(line.text);
    if (batch.length === maxLines || (batch.length > 0 && bytes + size > maxBytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(line);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
