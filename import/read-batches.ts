import { judgeLine } from './judge-line.ts';
import { readLines } from './read-lines.ts';

/** Consecutive lines of a file, up to `lastLine`. */
export type Batch = {
  lastLine: number;
  readonly items: { readonly line: number; readonly bytes: Buffer }[];
  readonly rejected: { readonly line: number; readonly reason: string }[];
  /** Events that were closed where they come from. */
  closed: number;
};

const maxLineBytes = 16 * 2 ** 20;
const maxBatchLines = 500;
const maxBatchBytes = 4 * 2 ** 20;

/**
 * Reads a file in batches of 500 lines or 4 MiB, from line `fromLine` on. A batch that begins at the same line has the same
 * lines in each run.
 */
export async function* readBatches(chunks: AsyncIterable<Buffer>, fromLine: number): AsyncGenerator<Batch> {
  let batch = beginAfter(fromLine - 1);
  let [lines, bytes] = [0, 0];
  for await (const line of readLines(chunks, maxLineBytes)) {
    if (line.number < fromLine) continue;
    const size = line.bytes?.length ?? 0;
    if (lines === maxBatchLines || (lines > 0 && bytes + size > maxBatchBytes)) {
      yield batch;
      batch = beginAfter(batch.lastLine);
      [lines, bytes] = [0, 0];
    }
    add(batch, line.number, judgeLine(line, maxLineBytes));
    lines += 1;
    bytes += size;
  }
  if (lines > 0) yield batch;
}

function beginAfter(lastLine: number): Batch {
  return { lastLine, items: [], rejected: [], closed: 0 };
}

function add(batch: Batch, line: number, judged: ReturnType<typeof judgeLine>): void {
  batch.lastLine = line;
  if (judged.kind === 'send') batch.items.push({ line, bytes: judged.bytes });
  if (judged.kind === 'rejected') batch.rejected.push({ line, reason: judged.reason });
  if (judged.kind === 'closed') batch.closed += 1;
}
