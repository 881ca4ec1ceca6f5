import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { endWithProcess } from '../support/end-with-process.ts';
import { isAlive, listDescendants } from './process-table.ts';

export const startFile = join(import.meta.dirname, '../../local/start.ts');

/** `npm start` in its own process. */
export type ServiceProcess = {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Its output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with its exit code, or with the signal that ended it. */
  readonly ended: Promise<number | string>;
};

/** Creates a data folder for a suite and starts services on it. Removes both afterwards. */
export function useServices(): {
  readonly dataFolder: string;
  /** `parameters` are those of node; by default they run start.ts. */
  readonly startService: (env?: NodeJS.ProcessEnv, parameters?: readonly string[]) => ServiceProcess;
} {
  const folder = mkdtempSync(join(tmpdir(), 'dlo-service-test-'));
  // PostgreSQL does not run as root; its own user must be able to enter the folder.
  chmodSync(folder, 0o711);
  const dataFolder = join(folder, "the shop's data");
  const services: ServiceProcess[] = [];
  after(async () => {
    const family = services.flatMap(({ pid }) => [pid, ...listDescendants(pid)]);
    for (const { child } of services) child.kill('SIGKILL');
    await waitFor('all processes to end', () => family.every((pid) => !isAlive(pid)));
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    dataFolder,
    startService: (env = {}, parameters = [startFile]) => {
      const given = { PORT: '0', DEMO: 'off', RETRY_EVERY_SECONDS: '1', DATA_DIR: dataFolder, ...env };
      const service = spawnService(given, parameters);
      services.push(service);
      return service;
    },
  };
}

/** Waits until a service prints that it is ready, and returns its address. */
export async function waitForAddress(service: ServiceProcess): Promise<string> {
  await Promise.race([
    waitFor('the service to be ready', () => service.stdout().includes('is ready on')),
    service.ended.then(() => Promise.reject(new Error(`It ended: ${service.stderr()}`))),
  ]);
  return /http:\/\/localhost:\d+/.exec(service.stdout())?.[0] ?? '';
}

/** Waits until a condition holds. Throws with the name of the condition after `withinMs`. */
export async function waitFor(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 300_000,
): Promise<void> {
  const endsAt = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > endsAt) throw new Error(`Timed out after ${withinMs} ms: ${what}.`);
    await delay(30);
  }
}

function spawnService(env: NodeJS.ProcessEnv, parameters: readonly string[]): ServiceProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, parameters, {
    env: { PATH, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithProcess(child);
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal);
  return { child, pid: child.pid ?? 0, stdout: gather(child.stdout), stderr: gather(child.stderr), ended };
}

function gather(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}
