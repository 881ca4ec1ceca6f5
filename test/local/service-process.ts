import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { endWithProcess } from '../support/end-with-process.ts';
import { waitUntil } from '../support/wait-until.ts';
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
  /** `parameters` are those of `node`; by default they run start.ts on the Node.js of this process. */
  readonly startService: (
    env?: NodeJS.ProcessEnv,
    parameters?: readonly string[],
    node?: string,
  ) => ServiceProcess;
} {
  const folder = mkdtempSync(join(tmpdir(), 'dlo-service-test-'));
  // PostgreSQL does not run as root; its own user must be able to enter the folder.
  chmodSync(folder, 0o711);
  const dataFolder = join(folder, "the shop's data");
  const services: ServiceProcess[] = [];
  after(async () => {
    // The id of a process that has ended may be that of another one by now.
    const running = services.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    const family = running.flatMap(({ pid }) => [pid, ...listDescendants(pid)]);
    for (const { child } of running) child.kill('SIGKILL');
    await waitUntil('all processes end', () => family.every((pid) => !isAlive(pid)));
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    dataFolder,
    startService: (env = {}, parameters = [startFile], node = process.execPath) => {
      const given = { PORT: '0', DEMO: 'off', RETRY_EVERY_SECONDS: '1', DATA_DIR: dataFolder, ...env };
      const service = spawnService(given, [node, ...parameters]);
      services.push(service);
      return service;
    },
  };
}

/** Waits until a service prints that it is ready, and returns its address. Throws if it ends before. */
export async function waitForAddress({ child, stdout, stderr }: ServiceProcess): Promise<string> {
  await waitUntil('the service is ready', () => {
    const end = child.exitCode ?? child.signalCode;
    if (end !== null) throw new Error(`It ended with ${end}: ${stderr()}`);
    return stdout().includes('is ready on');
  });
  return /http:\/\/localhost:\d+/.exec(stdout())?.[0] ?? '';
}

function spawnService(
  env: NodeJS.ProcessEnv,
  [node, ...parameters]: readonly [string, ...string[]],
): ServiceProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(node, parameters, {
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
