import { chmod, chown, copyFile, cp, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { findCluster, findUrlFile } from '../../local/database/data-folder.ts';
import { startPostgres } from '../../local/database/start-postgres.ts';

/** A PostgreSQL server of its own, which can be copied while it works. */
export type Server = {
  readonly folder: string;
  readonly url: string;
  stop(): Promise<void>;
};

/** Starts a server in a new folder below `parent`. */
export async function startServer(parent: string): Promise<Server> {
  return start(await createFolder(parent));
}

/**
 * Starts a server on a backup of another, as it was at one moment, while the other goes on.
 * https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
export async function restoreServer({ folder: from, url }: Server, parent: string): Promise<Server> {
  const folder = await createFolder(parent);
  const [data, copy] = [findCluster(from), findCluster(folder)];
  await copyFile(findUrlFile(from), findUrlFile(folder));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_backup_start('copy', true)");
    const notYet = [path.join(data, 'pg_wal'), path.join(data, 'postmaster.pid')];
    await cp(data, copy, { recursive: true, filter: (source) => !notYet.includes(source) });
    const { rows } = await client.query<{ label: string }>(
      'select labelfile as label from pg_backup_stop(false)',
    );
    await writeFile(path.join(copy, 'backup_label'), rows[0]?.label ?? '');
    await cp(path.join(data, 'pg_wal'), path.join(copy, 'pg_wal'), { recursive: true });
  } finally {
    await client.end();
  }
  await giveToOwnerOf(data, copy);
  return start(folder);
}

async function createFolder(parent: string): Promise<string> {
  const folder = await mkdtemp(path.join(parent, 'server-'));
  // PostgreSQL does not run as root; its own user must be able to enter the folder.
  await chmod(folder, 0o711);
  return folder;
}

async function start(folder: string): Promise<Server> {
  const { url, stop } = await startPostgres(folder, ['shared_buffers=32MB', 'max_connections=40']);
  return { folder, url, stop };
}

/** As root the copy belongs to root, and PostgreSQL runs as another user. */
async function giveToOwnerOf(data: string, copy: string): Promise<void> {
  const { uid, gid } = await stat(data);
  for (const entry of ['', ...(await readdir(copy, { recursive: true }))]) {
    await chown(path.join(copy, entry), uid, gid);
  }
}
