import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Rewrite } from './rewrite-modules.ts';

/** Gives each statement its text where it is made, in place of a file to be read: a cold start then opens none for it. */
export function inlineSql(root: string): Rewrite {
  return (code) =>
    code.replaceAll(/(?<=>\()\s*'([a-z-]+)',?\s*(?=\))/g, (whole, name: string) => {
      const file = path.join(root, 'shared/sql', `${name}.sql`);
      return existsSync(file)
        ? `'${name}', ${JSON.stringify(dropComments(readFileSync(file, 'utf8')))}`
        : whole;
    });
}

/** A fifth of the text. `shared/sql.ts` drops them too, before PostgreSQL sees a statement. */
function dropComments(sql: string): string {
  return sql.replaceAll(/^ *--.*\n| *--.*$/gm, '');
}
