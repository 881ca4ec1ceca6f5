import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, debianFolder, pythonFolder, softwareFolder } from './cache.ts';

const debsFile = path.join(softwareFolder, 'debs.sha256');

/**
 * Downloads the packages of debs.sha256 by apt, and unpacks them without an installation. apt has only the latest version of
 * a package: if Debian has replaced one, `isUpdate` takes it and writes its checksum.
 */
export function fetchDebs({ isUpdate }: { readonly isUpdate: boolean }): void {
  const archives = path.join(debianFolder, 'archives');
  mkdirSync(archives, { recursive: true });
  const listed = readFileSync(debsFile, 'utf8')
    .split('\n')
    .map((line) => line.slice(66).split('_'));
  const packages = listed.flatMap(([name, version]) =>
    version ? [isUpdate ? `${name}` : `${name}=${decodeURIComponent(version)}`] : [],
  );
  // As the user of this process, who owns the folder.
  const options = ['--quiet', '--quiet', '--option', 'APT::Sandbox::User=root'];
  run('apt-get', ['download', ...options, ...packages], archives);
  const debs = globSync('*.deb', { cwd: archives }).sort();
  compareChecksums({ folder: archives, files: debs, list: debsFile, isUpdate });
  for (const deb of debs) run('dpkg-deb', ['--extract', path.join(archives, deb), debianFolder]);
}

/** Installs the packages of requirements.txt, which has their checksums. */
export function fetchPython(): void {
  const requirements = path.join(softwareFolder, 'python/requirements.txt');
  const options = [
    '--quiet',
    '--disable-pip-version-check',
    '--root-user-action=ignore',
    '--no-deps',
    '--require-hashes',
  ];
  run('python3', [
    '-m',
    'pip',
    'install',
    ...options,
    `--target=${pythonFolder}`,
    `--requirement=${requirements}`,
  ]);
}

/** Installs BullMQ by its lock file, which has checksums, beside the program that uses it. */
export function fetchNpm(): void {
  const folder = path.join(cacheFolder, 'bullmq');
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json', 'failing-worker.js'])
    copyFileSync(path.join(softwareFolder, 'bullmq', file), path.join(folder, file));
  // Its optional dependency is a native addon for speed.
  const options = ['--no-save', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  run('npm', ['install', ...options], folder);
}

/** Throws if files differ from a committed list of checksums, or writes the list. */
export function compareChecksums({
  folder,
  files,
  list,
  isUpdate,
}: {
  readonly folder: string;
  readonly files: readonly string[];
  readonly list: string;
  readonly isUpdate: boolean;
}): void {
  const lines = files.map((file) => `${hash(readFileSync(path.join(folder, file)))}  ${file}\n`);
  if (isUpdate) writeFileSync(list, lines.join(''));
  const expected = readFileSync(list, 'utf8').split(/(?<=\n)/);
  const wrong = lines.filter((line) => !expected.includes(line));
  const missing = expected.filter((line) => !lines.includes(line));
  if (wrong.length + missing.length === 0) return;
  throw new Error(
    `Other files than those of ${path.basename(list)}.\nfetched:\n${wrong.join('')}expected:\n${missing.join('')}`,
  );
}

export function run(command: string, parameters: readonly string[], cwd?: string): void {
  const { status, error } = spawnSync(command, parameters, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${parameters.join(' ')} ended with exit code ${status}.`);
}

export function hash(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
