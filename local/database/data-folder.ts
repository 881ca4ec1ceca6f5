import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listenOnLoopback } from '../http/listen.ts';
import { installation, LocalServiceError } from '../installation.ts';
import { readIfExists } from '../read-if-exists.ts';

/** The cluster of an embedded PostgreSQL, in its data folder. */
export function findCluster(folder: string): string {
  return join(folder, 'postgres');
}

/** The file that holds the URL of the embedded database: `psql "$(cat .data/url)"`. */
export function findUrlFile(folder: string): string {
  return join(folder, 'url');
}

/**
 * Returns the PostgreSQL that runs on the data. It listens on its port from its start to its end; the file
 * that names it may outlive it. Removes the file if another program got its process id since: PostgreSQL
 * would take that one for a server.
 */
export async function findRunning(folder: string) {
  const file = join(findCluster(folder), 'postmaster.pid');
  const [pid, , , port] = readIfExists(file)?.split('\n').map(Number) ?? [];
  if (!pid || !port) return undefined;
  const isFree = (await choosePort(port)) === port;
  if (!isFree) return { pid };
  if (isAlive(pid)) rmSync(file, { force: true });
  return undefined;
}

/**
 * Returns the URL of a database of the embedded PostgreSQL. Its password is random, created once, and
 * readable by its owner only. The port of the last start is kept while it is free, so that saved URLs stay
 * valid. Throws a LocalServiceError if the folder is unusable.
 */
export async function prepareUrl(folder: string, database: string): Promise<string> {
  const file = findUrlFile(folder);
  const last = URL.parse(readIfExists(file) ?? '');
  if (!last && existsSync(findCluster(folder))) {
    const remedy = `Restore it, or begin with empty data: ${installation.reset}`;
    throw new LocalServiceError(`${file} is missing, which holds the password of the database. ${remedy}`);
  }
  const password = last?.password ?? randomBytes(24).toString('base64url');
  const port = await choosePort(Number(last?.port ?? 0));
  const url = `postgres://dlo:${password}@127.0.0.1:${port}/${database}`;
  try {
    // Not recursive: Node never returns from that below /proc. Mode 711: the user that runs PostgreSQL for
    // root must pass through the folder; other users cannot list it.
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o711 });
    // The only copy of the password: a full disk or a kill leaves the file as it was.
    writeFileSync(`${file}.partial`, `${url}\n`, { mode: 0o600 });
    renameSync(`${file}.partial`, file);
  } catch (cause) {
    const remedy = 'Create the folder above it, correct permissions, or set DATA_DIR to another folder.';
    throw new LocalServiceError(`The data folder ${folder} is unusable: ${cause}. ${remedy}`, { cause });
  }
  return url;
}

async function choosePort(last: number): Promise<number> {
  const listening = await listenOnLoopback(last, () => {}).catch(() => listenOnLoopback(0, () => {}));
  await listening.close();
  return listening.port;
}

/** Whether a process has this id. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
