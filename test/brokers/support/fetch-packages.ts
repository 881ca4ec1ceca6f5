import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, createReadStream, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { debianFolder, mavenFolder, pythonFolder, softwareFolder } from './cache.ts';

const jarsFile = path.join(softwareFolder, 'jars.sha256');
const debsFile = path.join(softwareFolder, 'debs.sha256');

type Options = { readonly isPinning: boolean };

/** Downloads the jars of all modules, and compiles the programs that fail. */
export async function fetchJars({ isPinning }: Options): Promise<void> {
  const goals = ['compile', 'dependency:copy-dependencies'];
  const options = ['--quiet', '--batch-mode', '--strict-checksums'];
  run('mvn', [...options, `--file=${softwareFolder}`, `-Dcache=${mavenFolder}`, ...goals]);
  const files = globSync('*/jars/*.jar', { cwd: mavenFolder }).sort();
  await compareChecksums({ folder: mavenFolder, files, list: jarsFile, isPinning });
}

/**
 * Downloads the packages of debs.sha256 by apt, which has only the latest version of each, and unpacks them
 * without an installation. A version that Debian has replaced since then is taken too: apt has checked the
 * signature of Debian.
 */
export async function fetchDebs({ isPinning }: Options): Promise<void> {
  const archives = path.join(debianFolder, 'archives');
  mkdirSync(archives);
  const listed = readFileSync(debsFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.slice(66));
  // As the user of this process, who owns the folder.
  const options = ['--quiet', '--quiet', '--option', 'APT::Sandbox::User=root'];
  run('apt-get', ['download', ...options, ...listed.map(nameOf)], archives);
  const debs = globSync('*.deb', { cwd: archives }).sort();
  const newer = isPinning ? [] : debs.filter((deb) => !listed.includes(deb));
  if (newer.length > 0) console.log(`Debian replaced versions, which --pin would list: ${newer.join(', ')}`);
  await compareChecksums({
    folder: archives,
    files: debs,
    list: debsFile,
    isPinning,
    newer: newer.map(nameOf),
  });
  for (const deb of debs) run('dpkg-deb', ['--extract', path.join(archives, deb), debianFolder]);
}

/** Of a package of Debian: NAME_VERSION_ARCHITECTURE.deb. */
function nameOf(deb: string): string {
  return deb.split('_')[0] ?? '';
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

/**
 * Installs the packages of a folder of `software/` by its lock file, which has checksums, beside the program
 * that uses them.
 */
export function fetchNpm(folder: string): void {
  cpSync(path.join(softwareFolder, path.basename(folder)), folder, { recursive: true });
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--silent'], folder);
}

type Comparison = Options & {
  readonly folder: string;
  readonly files: readonly string[];
  readonly list: string;
  /** The names of packages of which the list may have another version. */
  readonly newer?: readonly string[];
};

/** Throws if files differ from a committed list of checksums, or writes the list. */
export async function compareChecksums(comparison: Comparison): Promise<void> {
  const { folder, files, list, isPinning, newer = [] } = comparison;
  const lines: string[] = [];
  for (const file of files) lines.push(`${await hashFile(path.join(folder, file))}  ${file}\n`);
  if (isPinning) writeFileSync(list, lines.join(''));
  const expected = readFileSync(list, 'utf8').split(/(?<=\n)/);
  const isPinned = (line: string) => !newer.includes(nameOf(line.slice(66)));
  const wrong = lines.filter((line) => isPinned(line) && !expected.includes(line));
  const missing = expected.filter((line) => isPinned(line) && !lines.includes(line));
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

/** The largest file has 780 MB. */
async function hashFile(file: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(file)) digest.update(chunk);
  return digest.digest('hex');
}

export function hash(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
