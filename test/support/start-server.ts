import { type Postgres, startPostgres } from '../../local/database/start-postgres.ts';

/** Starts a PostgreSQL for tests in a folder that its user can enter. */
export function startServer(folder: string): Promise<Postgres> {
  // A crash of the machine is PostgreSQL's own test; without fsync and images of pages the suites run faster.
  // With synchronous_commit=off, VACUUM would not mark pages of recent commits as all-visible, and plans differ.
  return startPostgres(folder, [
    'fsync=off',
    'full_page_writes=off',
    'max_connections=200',
    'max_prepared_transactions=2',
  ]);
}
