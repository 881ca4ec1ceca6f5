import pg from 'pg';
import { hashMigrations } from '../../migrations/hash-migrations.ts';
import type { Database } from '../../shared/database/database.ts';
import { installation, LocalServiceError } from '../installation.ts';

/**
 * Throws a LocalServiceError if the schema was created by other migrations than those of this version:
 * migrations are applied by name, and an edited one never again. Do not start on that schema in silence.
 */
export async function rejectEditedMigrations(db: Database): Promise<void> {
  const { rows } = await db.query<{ digests: string | null }>({
    text: "select obj_description(to_regclass('dlq_migrations'), 'pg_class') as digests",
  });
  const current = hashMigrations();
  const applied: Record<string, string> = JSON.parse(rows[0]?.digests ?? '{}');
  // The files of deploy/ run with each start.
  const migrations = Object.keys(applied).filter((file) => !file.startsWith('deploy/'));
  const edited = migrations.filter((file) => applied[file] !== current[file]);
  if (edited.length === 0) return;
  throw new LocalServiceError(
    `The database was created by other migrations: ${edited.join(', ')} changed since. Restore them, or delete the data: ${installation.reset}`,
  );
}

/** Stores the digests of the migrations, all of which have been applied, as the comment of their table. */
export async function recordMigrations(db: Database): Promise<void> {
  const digests = pg.escapeLiteral(JSON.stringify(hashMigrations()));
  await db.query({ text: `comment on table dlq_migrations is ${digests}` });
}
