import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { LocalServiceError } from '../local-service-error.ts';
import { repositoryFolder } from '../settings.ts';

/** The digest of each migration, by its name. The comment of the table dlq_migrations holds those that were applied. */
type Digests = Readonly<Record<string, string>>;

/**
 * Throws a LocalServiceError if the schema was created by other migrations than those of this version: migrations are
 * applied by name, and an edited one never again. Do not start on that schema in silence.
 */
export async function rejectEditedMigrations(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ exists: boolean; digests: string | null }>(
    `select to_regclass('dlq_migrations') is not null as exists, obj_description(to_regclass('dlq_migrations')) as digests`,
  );
  const [{ exists, digests } = { exists: false, digests: null }] = rows;
  if (!exists) return;
  const current = digestMigrations();
  const applied: Digests | undefined = digests === null ? undefined : JSON.parse(digests);
  const edited = Object.keys(applied ?? {}).filter((name) => applied?.[name] !== current[name]);
  if (applied && edited.length === 0) return;
  const what = applied ? `${edited.join(', ')} changed since` : 'by another version';
  throw new LocalServiceError(
    `The database was created by other migrations: ${what}. Restore them, or begin with empty data: npm run reset`,
  );
}

/** Stores the digests of the migrations, all of which have been applied. */
export async function recordMigrations(pool: pg.Pool): Promise<void> {
  const digests = pg.escapeLiteral(JSON.stringify(digestMigrations()));
  await pool.query(`comment on table dlq_migrations is ${digests}`);
}

/** Comments and layout change no schema. */
function digestMigrations(): Digests {
  const folder = join(repositoryFolder, 'migrations');
  const files = readdirSync(folder).filter((file) => /^\d{3}_.*\.sql$/.test(file));
  return Object.fromEntries(
    files.map((file) => {
      const sql = readFileSync(join(folder, file), 'utf8').replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ');
      return [file, createHash('sha256').update(sql).digest('base64url')];
    }),
  );
}
