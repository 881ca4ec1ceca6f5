import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** The statement files of the product, as paths from the root of the repository. */
export const statementFiles: readonly string[] = globSync('{shared,functions}/**/*.sql', { cwd: root });

/** The text of one of them, by its name without `.sql`. */
export function readStatement(name: string): string {
  const file = statementFiles.find((each) => path.basename(each) === `${name}.sql`);
  if (file === undefined) throw new Error(`There is no statement ${name}.sql.`);
  return readFileSync(path.join(root, file), 'utf8');
}
