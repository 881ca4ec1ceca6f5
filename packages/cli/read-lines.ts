import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CommandError } from './command-error.ts';

/** A line of a file, from 1. Of other bytes than UTF-8, the text lacks some. */
export type Line = { readonly number: number; readonly text: string; readonly isUtf8: boolean };

/** The lines of a file, and its size in bytes; `-` is stdin, of unknown size. Throws a CommandError. */
export async function openLines(file: string, stdin: Readable) {
  if (file === '-') return { bytes: 0, lines: readLines(stdin, 'stdin') };
  const { size: bytes } = await stat(file).catch((error: unknown) => failReading(file, error));
  return { bytes, lines: readLines(createReadStream(file), file) };
}

async function* readLines(input: Readable, file: string): AsyncGenerator<Line> {
  let number = 0;
  try {
    // As Latin-1, a character is a byte: otherwise U+2028, which JSON may contain, would end a line.
    input.setEncoding('latin1');
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      const bytes = Buffer.from(line, 'latin1');
      const text = new TextDecoder().decode(bytes);
      if (text.trim() !== '') yield { number, text, isUtf8: isUtf8(bytes) };
    }
  } catch (error) {
    failReading(file, error);
  }
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
