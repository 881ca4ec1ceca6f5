import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readIfExists } from '../../local/read-if-exists.ts';
import { isFirst } from '../support/is-first.ts';

/** Many tests wait for PostgreSQL, a process or a browser. */
export const maxWorkers = 6;

/** So many files took the longest. One of them that is begun last would be the only one for the rest of a run. */
const maxLong = 24;
/** How long each file took when it ran last, in ms. */
const durationsFile = path.resolve(import.meta.dirname, '../../node_modules/.cache/test-durations.json');

/** Writes the files that the workers of a run take in turn, and names their queue to them. */
export function writeQueue(folder: string, files: readonly string[]): void {
  process.env.DLO_TEST_QUEUE = path.join(folder, 'queue');
  const durations = readDurations();
  const known = files.filter((file) => durations[file] !== undefined);
  const long = known.sort((a, b) => (durations[b] ?? 0) - (durations[a] ?? 0)).slice(0, maxLong);
  const short = files.filter((file) => !long.includes(file));
  writeFileSync(process.env.DLO_TEST_QUEUE, JSON.stringify({ long, short }));
}

/**
 * Yields each file of the queue that no other worker has taken. Half of the workers begin with the long ones,
 * which wait a lot. Of the short ones each begins at a part of its own: files of a folder load the same modules,
 * and lend each other a browser.
 */
export function* takeFiles(): Generator<string> {
  const queue = process.env.DLO_TEST_QUEUE ?? '';
  const { long, short } = JSON.parse(readFileSync(queue, 'utf8')) as Record<'long' | 'short', string[]>;
  let part = 0;
  while (!isFirst(`${queue}-part-${part}`)) part += 1;
  const start = Math.floor((short.length * part) / maxWorkers);
  const own = [...short.slice(start), ...short.slice(0, start)];
  for (const file of part % 2 === 0 ? [...long, ...own] : [...own, ...long]) {
    if (isFirst(`${queue}-${file.replaceAll('/', '-')}`)) yield file;
  }
}

/** Keeps how long files took, in ms, for the order of the next run. */
export function keepDurations(durations: Readonly<Record<string, number>>): void {
  mkdirSync(path.dirname(durationsFile), { recursive: true });
  const partial = `${durationsFile}.${process.pid}`;
  writeFileSync(partial, JSON.stringify({ ...readDurations(), ...durations }));
  // Another run reads all of it, or what was there before.
  renameSync(partial, durationsFile);
}

function readDurations(): Readonly<Record<string, number>> {
  return JSON.parse(readIfExists(durationsFile) ?? '{}');
}
