import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';

/** The repository. */
export const root = path.resolve(import.meta.dirname, '..');

/** Empties the folder of a built package, and puts the license into it. Returns the folder. */
export async function emptyDist(folder: string): Promise<string> {
  const dist = path.join(folder, 'dist');
  await rm(dist, { recursive: true, force: true });
  await cp(path.join(root, 'LICENSE'), path.join(dist, 'LICENSE'));
  return dist;
}

/** Bundles modules of the repository, each to a file in `outdir` with its name. */
export async function bundle(options: BuildOptions): Promise<void> {
  await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    entryNames: '[name]',
    logLevel: 'warning',
    ...options,
  });
}

/** Copies the migrations into a folder. */
export async function copyMigrations(folder: string): Promise<void> {
  const migrations = path.join(root, 'migrations');
  for (const file of globSync(['[0-9]*_*.sql', 'deploy/*.sql'], { cwd: migrations })) {
    await cp(path.join(migrations, file), path.join(folder, file));
  }
}

/** Writes the types of a package as its tsconfig.json says. */
export async function writeTypes(folder: string): Promise<void> {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '--project', folder]);
}
