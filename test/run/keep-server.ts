import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startServer } from '../support/start-server.ts';
import { type KeptServer, serverFile } from './kept-server.ts';

// The process of the server that stays up: PostgreSQL ends with it.
const folder = mkdtempSync(path.join(tmpdir(), 'dlo-test-server-'));
chmodSync(folder, 0o711);
const { url, stop } = await startServer(folder);
process.once('SIGTERM', async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
  rmSync(serverFile, { force: true });
  process.exit();
});
mkdirSync(path.dirname(serverFile), { recursive: true });
writeFileSync(serverFile, JSON.stringify({ url, folder, pid: process.pid } satisfies KeptServer), {
  mode: 0o600,
});
process.send?.('ready');
