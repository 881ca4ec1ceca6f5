import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes the files that the workers of a run take in turn, and names their queue to them. */
export function writeQueue(folder: string, files: readonly string[]): void {
  process.env.DLO_TEST_QUEUE = path.join(folder, 'queue');
  writeFileSync(process.env.DLO_TEST_QUEUE, files.join('\n'));
}

/** Yields each file of the queue that no other worker has taken. */
export function* takeFiles(): Generator<string> {
  const queue = process.env.DLO_TEST_QUEUE ?? '';
  for (const [index, file] of readFileSync(queue, 'utf8').split('\n').entries()) {
    if (isFirst(`${queue}-${index}`)) yield file;
  }
}

/** Returns whether this process is the first one to create a file. */
function isFirst(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
