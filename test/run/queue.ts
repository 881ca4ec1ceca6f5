import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isFirst } from '../support/is-first.ts';

/** Many tests wait for PostgreSQL, a process or a browser. */
export const maxWorkers = 6;

/** Writes the files that the workers of a run take in turn, and names their queue to them. */
export function writeQueue(folder: string, files: readonly string[]): void {
  process.env.DLO_TEST_QUEUE = path.join(folder, 'queue');
  writeFileSync(process.env.DLO_TEST_QUEUE, files.join('\n'));
}

/**
 * Yields each file of the queue that no other worker has taken. Each worker begins at a part of its own: files
 * of a folder load the same modules, and lend each other a browser.
 */
export function* takeFiles(): Generator<string> {
  const queue = process.env.DLO_TEST_QUEUE ?? '';
  const files = [...readFileSync(queue, 'utf8').split('\n').entries()];
  let part = 0;
  while (!isFirst(`${queue}-part-${part}`)) part += 1;
  const start = Math.floor((files.length * part) / maxWorkers);
  for (const [index, file] of [...files.slice(start), ...files.slice(0, start)]) {
    if (isFirst(`${queue}-${index}`)) yield file;
  }
}
