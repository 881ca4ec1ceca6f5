import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Returns a SHA-256 of every SQL file of the migrations, by file. Comments and layout change no schema. */
export function hashMigrations(folder = import.meta.dirname): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => /^(\d{3}_|deploy\/)[^/]*\.sql$/.test(file));
  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8').replaceAll(/--.*$/gm, '');
  const hash = (sql: string) => createHash('sha256').update(sql.replaceAll(/\s+/g, ' ')).digest('hex');
  return Object.fromEntries(files.sort().map((file) => [file, hash(read(file))]));
}
