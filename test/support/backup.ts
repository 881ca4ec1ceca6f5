import { chown, cp, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { createCluster, superuser } from '../../local/database/cluster.ts';
import { type ClusterPaths, findClusterPaths } from '../../local/database/cluster-paths.ts';
import { type Postgres, startPostgres } from '../../local/database/start-postgres.ts';
import { findFreePort } from './free-port.ts';

const password = 'only-for-tests';

/** A PostgreSQL server of its own, which can be copied while it works. */
export type Server = {
  readonly paths: ClusterPaths;
  readonly url: string;
  stop(): Promise<void>;
};

/** Starts a server in a new folder below `parent`. */
export async function startServer(parent: string): Promise<Server> {
  const paths = findClusterPaths(await mkdtemp(path.join(parent, 'server-')));
  await createCluster(paths, password);
  return start(paths);
}

/**
 * Starts a server on a backup of another, as it was at one moment, while the other goes on.
 * https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
export async function restoreServer({ paths: from, url }: Server, parent: string): Promise<Server> {
  const paths = findClusterPaths(await mkdtemp(path.join(parent, 'server-')));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_backup_start('copy', true)");
    const notYet = [path.join(from.data, 'pg_wal'), path.join(from.data, 'postmaster.pid')];
    await cp(from.data, paths.data, { recursive: true, filter: (source) => !notYet.includes(source) });
    const { rows } = await client.query<{ label: string }>(
      'select labelfile as label from pg_backup_stop(false)',
    );
    await writeFile(path.join(paths.data, 'backup_label'), rows[0]?.label ?? '');
    await cp(path.join(from.data, 'pg_wal'), path.join(paths.data, 'pg_wal'), { recursive: true });
  } finally {
    await client.end();
  }
  await giveTo(paths);
  return start(paths);
}

async function start(paths: ClusterPaths): Promise<Server> {
  const port = await findFreePort();
  const postgres: Postgres = await startPostgres(paths, port, ['shared_buffers=32MB', 'max_connections=40']);
  const url = `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`;
  return { paths, url, stop: postgres.stop };
}

/** As root the copy belongs to root, and PostgreSQL runs as another user. */
async function giveTo({ data, user }: ClusterPaths): Promise<void> {
  if (!user) return;
  const entries = await readdir(data, { recursive: true });
  for (const entry of ['', ...entries]) await chown(path.join(data, entry), user.uid, user.gid);
}
