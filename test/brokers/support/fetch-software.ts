import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, softwareFolder } from './cache.ts';
import { fetchDebezium } from './fetch-debezium.ts';
import { compareChecksums, fetchDebs, fetchNpm, fetchPython, hash, run } from './fetch-packages.ts';
import { isPresent, type PackageManager } from './package-managers.ts';

const names: readonly PackageManager[] = ['maven', 'java21', 'debian', 'python'];

/** Equals the sources and the package managers once everything was fetched for them. */
const stampFile = path.join(cacheFolder, 'fetched');

/**
 * Fetches all software by the package managers that are there, with the settings of the user, unless it is in the cache.
 * Versions are pinned, and so is the content of every package.
 */
export function fetchSoftware({ isUpdate }: { readonly isUpdate: boolean }): void {
  const stamp = () => `${hashSources()} ${names.filter(isPresent)}`;
  if (!isUpdate && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp()) return;
  rmSync(cacheFolder, { recursive: true, force: true });
  mkdirSync(cacheFolder, { recursive: true });
  if (isPresent('maven')) fetchJars(isUpdate);
  if (isPresent('java21')) fetchDebezium({ isUpdate });
  if (isPresent('debian')) fetchDebs({ isUpdate });
  if (isPresent('python')) fetchPython();
  fetchNpm();
  writeFileSync(stampFile, stamp());
}

function fetchJars(isUpdate: boolean): void {
  run('mvn', [
    '--quiet',
    '--batch-mode',
    '--strict-checksums',
    `--file=${softwareFolder}`,
    `-Dcache=${cacheFolder}`,
    'compile',
    'dependency:copy-dependencies',
  ]);
  const files = globSync('*/jars/*.jar', { cwd: cacheFolder }).sort();
  compareChecksums({ folder: cacheFolder, files, list: path.join(softwareFolder, 'jars.sha256'), isUpdate });
}

function hashSources(): string {
  const files = globSync('**/*', { cwd: softwareFolder, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  const paths = files.map((each) => path.join(each.parentPath, each.name)).sort();
  return hash(paths.map((file) => `${file} ${hash(readFileSync(file))}\n`).join(''));
}
