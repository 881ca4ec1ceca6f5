import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Returns the SHA-256 of every SQL file of the migrations, by file. */
export function hashMigrations(folder = import.meta.dirname): Record<string, string> {
  const files = globSync(['[0-9][0-9][0-9]_*.sql', 'deploy/*.sql'], { cwd: folder }).sort();
  const hash = (file: string) =>
    createHash('sha256')
      .update(readFileSync(path.join(folder, file)))
      .digest('hex');
  return Object.fromEntries(files.map((file) => [file.replaceAll(path.sep, '/'), hash(file)]));
}
