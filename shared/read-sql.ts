import { readFileSync } from 'node:fs';

/** The text of `sql/<name>.sql`. A deployed function has those that it uses in its code: infra/bundle/inline-sql.ts. */
export function readSql(name: string): string {
  return readFileSync(new URL(`sql/${name}.sql`, import.meta.url), 'utf8');
}
