import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { migrate } from '../../migrations/migrate.ts';
import { createEmptyDatabase, runOnServer } from './database.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Creates the migrated database that those of suites are copies of. Returns its name. */
export async function createTemplate(): Promise<string> {
  const url = await createEmptyDatabase();
  await migrate(url);
  return new URL(url).pathname.slice(1);
}

/** Returns the template of a server that stays up. Only a change of the migrations makes it another one. */
export async function keepTemplate(): Promise<string> {
  const name = `dlo_template_${hashMigrations()}`;
  const [existing] = await runOnServer(`select from pg_database where datname = '${name}'`);
  if (!existing) await runOnServer(`alter database ${await createTemplate()} rename to ${name}`);
  return name;
}

function hashMigrations(): string {
  const hash = createHash('sha256');
  for (const file of globSync('migrations/**/*.{sql,ts}', { cwd: root }).sort()) {
    hash.update(`${file}\n${readFileSync(path.join(root, file), 'utf8')}\n`);
  }
  return hash.digest('hex').slice(0, 12);
}
