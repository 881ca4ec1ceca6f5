import pg from 'pg';
import { type Postgres, startPostgres } from '../../local/database/start-postgres.ts';

/** Starts a PostgreSQL for tests in a folder that its user can enter. */
export async function startServer(folder: string): Promise<Postgres> {
  // A crash of the machine is PostgreSQL's own test; without fsync and images of pages the suites run faster.
  // With synchronous_commit=off, VACUUM would not mark pages of recent commits as all-visible, and plans differ.
  const server = await startPostgres(folder, [
    'fsync=off',
    'full_page_writes=off',
    'max_connections=200',
    'max_prepared_transactions=2',
    'scram_iterations=1',
  ]);
  await hashPasswordOnce(server.url);
  return server;
}

/** initdb hashed it 4096 times, and so would each connection: more work than most of them are opened for. */
async function hashPasswordOnce(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`alter role current_user password ${pg.escapeLiteral(new URL(url).password)}`);
  await client.end();
}
