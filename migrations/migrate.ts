import { runner } from 'node-pg-migrate';
import pg from 'pg';

/**
 * Brings the schema of a database up to date and returns the names of the migrations it applied, none if there
 * was nothing to do. All of them or none, in one transaction. Any number may start at once: they wait for each other.
 */
export async function migrate(databaseUrl: string, folder = import.meta.dirname): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const applied = await runner({
      dbClient: client,
      dir: folder,
      ignorePattern: String.raw`(?!\d{3}_.*\.sql$).*`,
      direction: 'up',
      migrationsTable: 'dlq_migrations',
      singleTransaction: true,
      advisoryLockMode: 'wait',
      log: () => {},
    });
    return applied.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** What `npm run migrate` does: says in a line what came of it, and returns the exit code. */
async function runCommand(databaseUrl: string | undefined): Promise<number> {
  if (!databaseUrl) {
    console.error('Set DATABASE_URL to the database to migrate: postgres://user:password@host:5432/database');
    return 1;
  }
  try {
    const applied = await migrate(databaseUrl);
    const isCurrent = applied.length === 0;
    console.log(isCurrent ? 'Nothing to do: the schema is up to date.' : `Applied ${applied.join(', ')}.`);
    return 0;
  } catch (error) {
    // A name with several addresses fails once for each of them.
    const reasons: unknown[] = error instanceof AggregateError ? error.errors : [error];
    console.error(`The schema was not changed. ${reasons.join('; ')}`);
    return 1;
  }
}

if (import.meta.main) process.exitCode = await runCommand(process.env.DATABASE_URL);
