import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CannotOpenError } from '../cannot-open-error.ts';
import type { Place } from './place.ts';

export const superuser = 'office';

/** The data folder of the cluster at a place. */
export function clusterFolder({ folder }: Place): string {
  return join(folder, 'postgres');
}

/**
 * Creates the cluster unless there is one. It is made under another name and renamed when complete, so that an
 * interrupted start leaves nothing that looks like a cluster.
 */
export async function createCluster(place: Place, password: string): Promise<void> {
  if (existsSync(clusterFolder(place))) return;
  const partial = `${clusterFolder(place)}.partial`;
  const passwordFile = `${partial}.password`;
  try {
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { mode: 0o700 });
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (place.user) {
      chownSync(partial, place.user.uid, place.user.gid);
      chownSync(passwordFile, place.user.uid, place.user.gid);
    }
    await runInitdb(place, partial, passwordFile);
    renameSync(partial, clusterFolder(place));
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

async function runInitdb(place: Place, data: string, passwordFile: string): Promise<void> {
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const access = [`--username=${superuser}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const options = { ...place.user, cwd: place.folder };
  try {
    await promisify(execFile)(
      join(place.programs, 'initdb'),
      [`--pgdata=${data}`, ...access, ...locale],
      options,
    );
  } catch (cause) {
    const output = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause);
    throw new CannotOpenError(`The embedded PostgreSQL could not be set up in ${place.folder}:\n${output}`, {
      cause,
    });
  }
}
