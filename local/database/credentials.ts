import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** The cluster's password: random, made once, readable by its owner only. */
export function keepPassword(folder: string): string {
  const file = join(folder, 'password');
  const known = read(file);
  if (known) return known;
  const password = randomBytes(24).toString('base64url');
  writePrivately(file, password);
  return password;
}

/** Writes the database's address where psql and people find it: `psql "$(cat .data/url)"`. */
export function writeUrl(folder: string, url: string): string {
  const file = join(folder, 'url');
  writePrivately(file, `${url}\n`);
  return file;
}

/** The port of the last start if it is still free, so that what people noted stays true; else any free one. */
export async function choosePort(folder: string): Promise<number> {
  const last = Number(URL.parse(read(join(folder, 'url')) ?? '')?.port ?? 0);
  return (await findFreePort(last)) ?? (await findFreePort(0)) ?? 0;
}

function findFreePort(wanted: number): Promise<number | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : undefined;
      server.close(() => resolve(port));
    });
  });
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Anew each time: the mode counts only for a file that is being created. */
function writePrivately(file: string, text: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600 });
}
