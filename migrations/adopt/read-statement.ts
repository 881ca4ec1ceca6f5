import { readFile } from 'node:fs/promises';

/** Reads the SQL file of that name beside this module. */
export function readStatement(name: string): Promise<string> {
  return readFile(new URL(`${name}.sql`, import.meta.url), 'utf8');
}
