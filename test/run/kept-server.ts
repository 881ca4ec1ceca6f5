import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { readIfExists } from '../../local/read-if-exists.ts';
import { waitUntil } from '../support/wait-until.ts';

/** The PostgreSQL of `npm run test:one`, which stays up until `npm run test:stop`. */
export type KeptServer = { readonly url: string; readonly folder: string; readonly pid: number };

/** Describes the server that runs, as JSON. */
export const serverFile = path.resolve(import.meta.dirname, '../../node_modules/.cache/test-server.json');

/** Returns the URL of the server. Starts it first unless it runs. */
export async function findKeptServer(): Promise<string> {
  const running = readServer();
  if (running && (await answers(running))) return running.url;
  await stopKeptServer();
  const keeper = path.join(import.meta.dirname, 'keep-server.ts');
  const child = spawn(process.execPath, [keeper], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await Promise.race([once(child, 'message'), once(child, 'exit')]);
  child.unref();
  if (child.connected) child.disconnect();
  const started = readServer();
  if (!started) throw new Error('The PostgreSQL of the tests did not start.');
  return started.url;
}

/** Stops the server, and removes what is left of one that was killed. */
export async function stopKeptServer(): Promise<void> {
  const server = readServer();
  if (!server) return;
  if (await answers(server)) {
    process.kill(server.pid, 'SIGTERM');
    await waitUntil('the PostgreSQL of the tests has stopped', () => readServer() === undefined);
  } else {
    rmSync(server.folder, { recursive: true, force: true });
    rmSync(serverFile, { force: true });
  }
}

function readServer(): KeptServer | undefined {
  const text = readIfExists(serverFile);
  return text ? JSON.parse(text) : undefined;
}

async function answers({ url }: KeptServer): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
