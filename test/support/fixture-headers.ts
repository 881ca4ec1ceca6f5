import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(import.meta.dirname, '..');

/** The names of the headers of each object called `headers` or `attributes` in a recorded message. */
export function fixtureHeaders(): string[][] {
  return globSync(['fixtures/envelopes/*.json', 'brokers/recorded/*.json'], { cwd: folder }).flatMap((file) =>
    findHeaders(JSON.parse(readFileSync(path.join(folder, file), 'utf8'))),
  );
}

function findHeaders(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [
    ...(/headers|attributes/i.test(name) && !Array.isArray(each) && each !== null && typeof each === 'object'
      ? [Object.keys(each)]
      : []),
    ...findHeaders(each),
  ]);
}
