import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createCluster, superuser } from '../../../local/database/cluster.ts';
import { findClusterPaths } from '../../../local/database/cluster-paths.ts';
import { startPostgres } from '../../../local/database/start-postgres.ts';
import { findFreePort } from '../../support/free-port.ts';

const password = 'only-for-tests';

/** Starts a PostgreSQL whose changes can be read, and returns its address. */
export async function startLogicalPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = path.join(process.env.DLO_TEST_FOLDER ?? '', 'shop');
  await mkdir(folder);
  // PostgreSQL does not run as root; its own user must be able to enter the folder.
  await chmod(folder, 0o711);
  const paths = findClusterPaths(folder);
  const port = await findFreePort();
  await createCluster(paths, password);
  const postgres = await startPostgres(paths, port, ['wal_level=logical', 'fsync=off']);
  return {
    url: `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`,
    stop: () => postgres.stop(),
  };
}
