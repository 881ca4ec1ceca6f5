import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { insert } from '../../shared/database/statement.ts';
import { novelty } from '../../shared/groups/error-groups.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** The statement files of the product, as paths from the root of the repository. */
export const statementFiles: readonly string[] = globSync('{shared,functions}/**/*.sql', { cwd: root });

/** The text of one of them, by its name without `.sql`, with the fragments that do not depend on a request. */
export function readStatement(name: string): string {
  const file = statementFiles.find((each) => path.basename(each) === `${name}.sql`);
  if (file === undefined) throw new Error(`There is no statement ${name}.sql.`);
  return insert(readFileSync(path.join(root, file), 'utf8'), { novelty });
}
