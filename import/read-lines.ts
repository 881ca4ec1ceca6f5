/** A line of a file, without its line feed. `bytes` is undefined for a line that is too long. */
export type Line = { readonly number: number; readonly bytes: Buffer | undefined };

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Reads a stream line by line, and holds at most one line of `maxBytes` and one chunk. Lines are numbered from 1. */
export async function* readLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let number = 0;
  let parts: Buffer[] = [];
  let size = 0;
  const add = (part: Buffer) => {
    size += part.length;
    if (size <= maxBytes) parts.push(part);
    else parts = [];
  };
  const takeLine = (): Line => {
    number += 1;
    const bytes = size > maxBytes ? undefined : trim(Buffer.concat(parts), number);
    parts = [];
    size = 0;
    return { number, bytes };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      add(chunk.subarray(start, end));
      yield takeLine();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (size > 0) yield takeLine();
}

function trim(line: Buffer, number: number): Buffer {
  const start = number === 1 && line.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  return line.subarray(start, line.at(-1) === 0x0d ? -1 : undefined);
}
