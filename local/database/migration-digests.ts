import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { migrationsFolder } from '../../migrations/apply-migrations.ts';
import type { Database } from '../../shared/database/database.ts';
import { installation } from '../installation.ts';
import { LocalServiceError } from '../local-service-error.ts';

/**
 * The digest of each migration, by its name. The comment of the table dlq_migrations holds those that were
 * applied.
 */
type Digests = Readonly<Record<string, string>>;

/**
 * Throws a LocalServiceError if the schema was created by other migrations than those of this version:
 * migrations are applied by name, and an edited one never again. Do not start on that schema in silence.
 */
export async function rejectEditedMigrations(db: Database): Promise<void> {
  const { rows } = await db.query<{ digests: string | null }>({
    text: `
      select obj_description(oid, 'pg_class') as digests
      from pg_class where oid = to_regclass('dlq_migrations')`,
  });
  const [table] = rows;
  if (!table) return;
  const { digests } = table;
  const current = digestMigrations();
  const applied: Digests | undefined = digests === null ? undefined : JSON.parse(digests);
  const edited = Object.keys(applied ?? {}).filter((name) => applied?.[name] !== current[name]);
  if (applied && edited.length === 0) return;
  const what = applied ? `${edited.join(', ')} changed since` : 'by another version';
  throw new LocalServiceError(
    `The database was created by other migrations: ${what}. Restore them, or delete the data: ${installation.reset}`,
  );
}

/** Stores the digests of the migrations, all of which have been applied. */
export async function recordMigrations(db: Database): Promise<void> {
  const digests = pg.escapeLiteral(JSON.stringify(digestMigrations()));
  await db.query({ text: `comment on table dlq_migrations is ${digests}` });
}

/** Comments and layout change no schema. */
function digestMigrations(): Digests {
  const files = readdirSync(migrationsFolder).filter((file) => /^\d{3}_.*\.sql$/.test(file));
  return Object.fromEntries(
    files.map((file) => {
      const sql = readFileSync(join(migrationsFolder, file), 'utf8')
        .replaceAll(/--.*$/gm, '')
        .replaceAll(/\s+/g, ' ');
      return [file, createHash('sha256').update(sql).digest('base64url')];
    }),
  );
}
