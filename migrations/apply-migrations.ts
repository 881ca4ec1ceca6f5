import { runner } from 'node-pg-migrate';
import type pg from 'pg';
import { describeError } from './describe-error.ts';

/** The folder of the SQL files. */
export const migrationsFolder = import.meta.dirname;

/**
 * Applies all pending migrations in one transaction and returns their names. Safe to start concurrently: the
 * calls wait for each other. Throws an Error that names the failed migration.
 */
export async function applyMigrations(client: pg.Client, folder = migrationsFolder): Promise<string[]> {
  let current = 'before the first migration';
  try {
    const applied = await runner({
      dbClient: client,
      dir: folder,
      ignorePattern: String.raw`(?!\d{3}_.*\.sql$).*`,
      direction: 'up',
      migrationsTable: 'dlq_migrations',
      singleTransaction: true,
      advisoryLockMode: 'wait',
      log: (line) => {
        current = /### MIGRATION (\S+) /.exec(line)?.[1] ?? current;
      },
    });
    return applied.map(({ name }) => name);
  } catch (cause) {
    // Of an error with its own table the runner reports the stack.
    const reason = describeError(cause).replace(/\n +at .*/s, '');
    throw new Error(`${current}: ${reason}`, { cause });
  }
}
