import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, softwareFolder } from './cache.ts';

const checksumFile = path.join(softwareFolder, 'jars.sha256');
/** Equals the sources once everything was fetched for them. */
const stampFile = path.join(cacheFolder, 'fetched');

/**
 * Fetches all software by Maven, with the settings of the user, unless it is in the cache. Versions are pinned, and so is the
 * content of every jar, by jars.sha256.
 */
export function fetchSoftware({ isUpdate }: { readonly isUpdate: boolean }): void {
  const stamp = hashSources();
  if (!isUpdate && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  rmSync(cacheFolder, { recursive: true, force: true });
  mkdirSync(cacheFolder, { recursive: true });
  fetchJars(isUpdate);
  writeFileSync(stampFile, hashSources());
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
  const lines = globSync('*/jars/*.jar', { cwd: cacheFolder })
    .sort()
    .map((jar) => `${hash(readFileSync(path.join(cacheFolder, jar)))}  ${jar}\n`);
  if (isUpdate) writeFileSync(checksumFile, lines.join(''));
  const expected = readFileSync(checksumFile, 'utf8').split(/(?<=\n)/);
  const wrong = lines.filter((line) => !expected.includes(line));
  const missing = expected.filter((line) => !lines.includes(line));
  if (wrong.length + missing.length === 0) return;
  throw new Error(
    `Other jars than those of test/brokers/software/jars.sha256.\nfetched:\n${wrong.join('')}expected:\n${missing.join('')}`,
  );
}

function run(command: string, parameters: readonly string[]): void {
  const { status, error } = spawnSync(command, parameters, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${parameters.join(' ')} ended with exit code ${status}.`);
}

function hashSources(): string {
  const files = globSync('**/*', { cwd: softwareFolder, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  const paths = files.map((each) => path.join(each.parentPath, each.name)).sort();
  return hash(paths.map((file) => `${file} ${hash(readFileSync(file))}\n`).join(''));
}

function hash(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
