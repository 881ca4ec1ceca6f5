import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LocalServiceError } from '../local-service-error.ts';
import type { ClusterPaths } from './cluster-paths.ts';

export const superuser = 'dlo';

/**
 * Creates a cluster with the superuser `dlo`, if the data folder does not exist. It gets its name only when complete: an
 * interrupted start must leave no partial cluster. Throws a LocalServiceError with the output of a failed initdb.
 */
export async function createCluster(paths: ClusterPaths, password: string): Promise<void> {
  if (existsSync(paths.data)) return;
  const partial = `${paths.data}.partial`;
  const passwordFile = `${partial}.password`;
  try {
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { mode: 0o700 });
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (paths.user) {
      chownSync(partial, paths.user.uid, paths.user.gid);
      chownSync(passwordFile, paths.user.uid, paths.user.gid);
    }
    await runInitdb(paths, partial, passwordFile);
    renameSync(partial, paths.data);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

async function runInitdb(paths: ClusterPaths, data: string, passwordFile: string): Promise<void> {
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const access = [`--username=${superuser}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const options = { ...paths.user, cwd: paths.folder };
  try {
    await promisify(execFile)(
      join(paths.programs, 'initdb'),
      [`--pgdata=${data}`, ...access, ...locale],
      options,
    );
  } catch (cause) {
    const output = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause);
    throw new LocalServiceError(
      `The embedded PostgreSQL could not be created in ${paths.folder}:\n${output}`,
      {
        cause,
      },
    );
  }
}
