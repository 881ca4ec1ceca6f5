import { createCluster, superuser } from '../../local/database/cluster.ts';
import { findClusterPaths } from '../../local/database/cluster-paths.ts';
import { type Postgres, startPostgres } from '../../local/database/start-postgres.ts';
import { findFreePort } from './free-port.ts';

const password = 'only-for-tests';

/** Starts a PostgreSQL for tests in a folder that its user can enter. */
export async function startServer(folder: string): Promise<Postgres & { readonly url: string }> {
  const paths = findClusterPaths(folder);
  const port = await findFreePort();
  await createCluster(paths, password);
  // A crash of the machine is PostgreSQL's own test; without fsync and images of pages the suites run faster.
  const postgres = await startPostgres(paths, port, [
    'fsync=off',
    'full_page_writes=off',
    'max_connections=200',
    'max_prepared_transactions=2',
  ]);
  return { ...postgres, url: `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres` };
}
