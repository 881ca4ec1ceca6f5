import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgres } from '../../local/database/start-postgres.ts';

/** A PostgreSQL server on this machine. `stop` removes it if it was started here. */
export type Server = { readonly url: string; stop(): Promise<void> };

/** Returns the server of DATABASE_URL, or starts one in a temporary folder, with the usual settings except its memory. */
export async function openServer(): Promise<Server> {
  const { DATABASE_URL: url } = process.env;
  if (url) return { url, stop: async () => {} };
  const folder = await mkdtemp(path.join(tmpdir(), 'dlo-peers-'));
  await chmod(folder, 0o711);
  const postgres = await startPostgres(folder, ['shared_buffers=1GB']);
  const stop = async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: postgres.url, stop };
}
