import path from 'node:path';
import { findFreePort } from '../../support/free-port.ts';
import { debianFolder } from './cache.ts';
import { isListening, startProgram, waitFor } from './start-program.ts';

/** Where the unpacked packages have their libraries. */
export const debianLibraries = path.join(debianFolder, 'usr/lib/x86_64-linux-gnu');

/** Starts Redis, which keeps nothing on disk, and returns its port. */
export async function startRedis(): Promise<number> {
  const port = await findFreePort();
  const program = startProgram(
    [
      path.join(debianFolder, 'usr/bin/redis-server'),
      ...['--port', `${port}`, '--bind', '127.0.0.1', '--save', ''],
    ],
    { env: { LD_LIBRARY_PATH: debianLibraries } },
  );
  await waitFor('Redis listened', () => isListening(port), { program });
  return port;
}
