import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

const folder = path.resolve(import.meta.dirname, '../../migrations');

/** Creates copies of the migrations with edited statements, and removes them after the suite. */
export function useMigrationsCopies(): (edit?: (sql: string) => string) => Promise<string> {
  const copies: string[] = [];
  after(async () => {
    for (const copy of copies) await rm(copy, { recursive: true });
  });
  return async (edit = (sql) => sql) => {
    const copy = await mkdtemp(path.join(tmpdir(), 'dlo-migrations-'));
    copies.push(copy);
    await cp(folder, copy, { recursive: true });
    for (const file of globSync('**/*.sql', { cwd: copy })) {
      await writeFile(path.join(copy, file), edit(await readFile(path.join(copy, file), 'utf8')));
    }
    return copy;
  };
}
