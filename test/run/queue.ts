import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isFirst } from '../support/is-first.ts';

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
