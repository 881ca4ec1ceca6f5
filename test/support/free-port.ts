import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import path from 'node:path';
import { isFirst } from './is-first.ts';

/**
 * A TCP port on loopback that nothing listens on, and that no one else gets before the caller uses it: systems
 * give ports from 32768 on to those who ask for any, and each of these goes to one test of a run.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    if ((await canListen(port)) && isMine(port)) return port;
  }
}

async function canListen(port: number): Promise<boolean> {
  const probe = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  probe.on('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  const isFree = await promise;
  await new Promise((closed) => probe.close(closed));
  return isFree;
}

function isMine(port: number): boolean {
  const folder = process.env.DLO_TEST_FOLDER;
  return folder === undefined || isFirst(path.join(folder, `port-${port}`));
}
