import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listenOnLoopback } from '../http/listen.ts';
import { readIfExists } from '../read-if-exists.ts';

/** Returns the password of the cluster. It is random, created once, and readable by its owner only. */
export function ensurePassword(folder: string): string {
  const file = join(folder, 'password');
  const existing = readIfExists(file);
  if (existing) return existing;
  const password = randomBytes(24).toString('base64url');
  writePrivately(file, password);
  return password;
}

/** Writes the database URL to a file for `psql "$(cat .data/url)"`. Returns the path of the file. */
export function writeUrl(folder: string, url: string): string {
  const file = join(folder, 'url');
  writePrivately(file, `${url}\n`);
  return file;
}

/** Returns the port of the last start if it is free, so that saved URLs stay valid, else any free port. */
export async function choosePort(folder: string): Promise<number> {
  const last = Number(URL.parse(readIfExists(join(folder, 'url')) ?? '')?.port ?? 0);
  const listening = await listenOnLoopback(last, () => {}).catch(() => listenOnLoopback(0, () => {}));
  await listening.close(0);
  return listening.port;
}

/** Removes the file first: the mode applies only to a file that is created. */
function writePrivately(file: string, text: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600 });
}
