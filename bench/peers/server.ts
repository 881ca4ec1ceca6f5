import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCluster, superuser } from '../../local/database/cluster.ts';
import { findClusterPaths } from '../../local/database/cluster-paths.ts';
import { startPostgres } from '../../local/database/start-postgres.ts';
import { findFreePort } from '../../test/support/free-port.ts';

/** A PostgreSQL server on this machine. `stop` removes it if it was started here. */
export type Server = { readonly url: string; stop(): Promise<void> };

/** Returns the server of DATABASE_URL, or starts one in a temporary folder, with the usual settings except its memory. */
export async function openServer(): Promise<Server> {
  const { DATABASE_URL: url } = process.env;
  if (url) return { url, stop: async () => {} };
  const folder = await mkdtemp(path.join(tmpdir(), 'dlo-peers-'));
  await chmod(folder, 0o711);
  const paths = findClusterPaths(folder);
  const port = await findFreePort();
  await createCluster(paths, 'bench');
  const postgres = await startPostgres(paths, port, ['shared_buffers=1GB']);
  const stop = async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: `postgres://${superuser}:bench@127.0.0.1:${port}/postgres`, stop };
}
