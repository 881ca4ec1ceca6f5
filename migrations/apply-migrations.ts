import { runner } from 'node-pg-migrate';
import type pg from 'pg';
import { describeError } from './describe-error.ts';

/**
 * Brings the schema up to date and returns the names of the migrations it applied, none if there was nothing to do.
 * All of them or none, in one transaction. Any number may start at once: they wait for each other.
 */
export async function applyMigrations(client: pg.Client, folder = import.meta.dirname): Promise<string[]> {
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
    throw new Error(`${current}: ${describeError(cause)}`, { cause });
  }
}
