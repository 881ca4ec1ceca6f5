import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isFirst } from './is-first.ts';
import { waitUntil } from './wait-until.ts';

/**
 * Returns what `make` resolves with, as JSON keeps it. The first process of a run that asks for a name makes it,
 * and the others read its file.
 */
export async function shareJson<T>(name: string, make: () => Promise<T>): Promise<T> {
  const file = path.join(process.env.DLO_TEST_FOLDER ?? '', `${name}.json`);
  const claim = `${file}.claim`;
  while (!existsSync(file)) {
    if (isFirst(claim)) await makeFile(make, file).finally(() => rmSync(claim));
    else await waitUntil(`${name} is made`, () => existsSync(file) || !existsSync(claim));
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}

async function makeFile(make: () => Promise<unknown>, file: string): Promise<void> {
  // Another process never sees an incomplete file.
  writeFileSync(`${file}.new`, JSON.stringify(await make()));
  renameSync(`${file}.new`, file);
}
