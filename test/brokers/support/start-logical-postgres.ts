import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { startPostgres } from '../../../local/database/start-postgres.ts';

/** Starts a PostgreSQL whose changes can be read, and returns its address. */
export async function startLogicalPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = path.join(process.env.DLO_TEST_FOLDER ?? '', 'shop');
  await mkdir(folder);
  // PostgreSQL does not run as root; its own user must be able to enter the folder.
  await chmod(folder, 0o711);
  return startPostgres(folder, ['wal_level=logical', 'fsync=off']);
}
