import { readFileSync } from 'node:fs';

/** Reads `<name>.sql` beside the module at `url`, in a bundle beside its code. Throws if the file is missing. */
export function readSql(name: string, url: string): string {
  return readFileSync(new URL(`${name}.sql`, url), 'utf8');
}
