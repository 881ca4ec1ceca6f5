import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildBundle } from '../../infra/bundle/build-bundle.ts';
import { findFreePort } from './free-port.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

export type InstalledBundle = { readonly folder: string; remove(): Promise<void> };

/**
 * Builds a bundle in a folder of its own and installs its packages as the buildpack does: `npm ci`, by a user who has
 * nothing else but what npm has downloaded before. It is not packed and unpacked, for no more than names and bytes survive the way to the buildpack.
 */
export async function installBundle(entry?: string): Promise<InstalledBundle> {
  const home = await mkdtemp(path.join(tmpdir(), 'dlo-bundle-'));
  const outDir = path.join(home, 'workspace');
  const { folder } = await buildBundle({ root, outDir, ...(entry && { entry }) });
  const { npm_config_cache = path.join(homedir(), '.npm') } = process.env;
  const env = { ...process.env, HOME: home, NODE_ENV: 'production', npm_config_cache };
  await run('npm', ['ci', '--quiet', '--no-fund', '--no-audit', '--prefer-offline'], { cwd: folder, env });
  return { folder, remove: () => rm(home, { recursive: true }) };
}

export type Started = {
  /** When it was started, as performance.now() has it. */
  readonly at: number;
  readonly pid: number | undefined;
  readonly url: string;
  readonly output: () => string;
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
};

/** Starts a function of an installed bundle as Google Cloud does. It may take a while until it listens. */
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
