import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Bundle, buildBundle } from '../../infra/bundle/build-bundle.ts';
import { endWithProcess } from './end-with-process.ts';
import { findFreePort } from './free-port.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

export type InstalledBundle = Bundle & { remove(): Promise<void> };

/**
 * Builds a bundle in a temporary folder and installs its packages as the buildpack does: `npm ci`, by a user
 * who has only npm's cache. The bundle is not archived and extracted, since an archive keeps only names and
 * bytes.
 */
export async function installBundle(entries?: string): Promise<InstalledBundle> {
  const home = await mkdtemp(path.join(tmpdir(), 'dlo-bundle-'));
  const outDir = path.join(home, 'workspace');
  const bundle = await buildBundle({ root, outDir, ...(entries && { entries }) });
  const { npm_config_cache = path.join(homedir(), '.npm') } = process.env;
  const env = { ...process.env, HOME: home, NODE_ENV: 'production', npm_config_cache };
  await run('npm', ['ci', '--quiet', '--no-fund', '--no-audit', '--prefer-offline'], { cwd: outDir, env });
  return { ...bundle, remove: () => rm(home, { recursive: true }) };
}

export type Started = {
  /** When the process was started, in ms of performance.now(). */
  readonly at: number;
  readonly pid: number | undefined;
  readonly url: string;
  readonly output: () => string;
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
};

/**
 * Builds a bundle in a temporary folder, and links the packages that its lock file lists to those of this
 * repository, which costs nothing, unlike `npm ci`.
 */
export async function linkBundle(): Promise<InstalledBundle> {
  const home = await mkdtemp(path.join(tmpdir(), 'dlo-bundle-'));
  const outDir = path.join(home, 'workspace');
  const bundle = await buildBundle({ root, outDir });
  const { packages } = JSON.parse(await readFile(path.join(outDir, 'package-lock.json'), 'utf8'));
  const locations = Object.keys(packages).filter((each) => each.split('node_modules/').length === 2);
  for (const each of [...locations, 'node_modules/.bin/functions-framework']) {
    await mkdir(path.dirname(path.join(outDir, each)), { recursive: true });
    await symlink(path.join(root, each), path.join(outDir, each));
  }
  return { ...bundle, remove: () => rm(home, { recursive: true }) };
}

/** Starts a function of an installed bundle as Google Cloud does. Returns before the function listens. */
export async function startInstalled(
  folder: string,
  target: string,
  env: Record<string, string>,
): Promise<Started> {
  const port = await findFreePort();
  const at = performance.now();
  const child = spawn(process.execPath, ['node_modules/.bin/functions-framework'], {
    cwd: folder,
    env: { FUNCTION_TARGET: target, PORT: `${port}`, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithProcess(child);
  const ended = once(child, 'exit');
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const stop = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal);
    await ended;
  };
  const output = () => Buffer.concat(chunks).toString('utf8');
  return { at, pid: child.pid, url: `http://127.0.0.1:${port}/`, output, stop };
}
