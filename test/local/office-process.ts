import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, readParent } from '../../local/processes/process-table.ts';

export const startFile = join(import.meta.dirname, '../../local/start.ts');

/** `npm start` in a process of its own. */
export type OfficeProcess = {
  readonly child: ChildProcess;
  readonly pid: number;
  /** What it wrote so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Its exit code once it has ended, or the signal that ended it. */
  readonly ended: Promise<number | string>;
};

/** Gives a suite a data folder and starts offices on it; nothing of either is left afterwards. */
export function useOffices(): {
  readonly dataFolder: string;
  /** `parameters` are those of node; by default they start the office. */
  readonly startOffice: (env?: NodeJS.ProcessEnv, parameters?: readonly string[]) => OfficeProcess;
} {
  const folder = mkdtempSync(join(tmpdir(), 'dlo-office-test-'));
  // PostgreSQL does not run as root, and the user it gets instead has to find its way in.
  chmodSync(folder, 0o711);
  const dataFolder = join(folder, 'data');
  const offices: OfficeProcess[] = [];
  after(async () => {
    const family = offices.flatMap(({ pid }) => [pid, ...listDescendants(pid)]);
    for (const { child } of offices) child.kill('SIGKILL');
    await waitFor('all processes to end', () => family.every((pid) => !isAlive(pid)));
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    dataFolder,
    startOffice: (env = {}, parameters = [startFile]) => {
      const given = { PORT: '0', DEMO: 'off', RETRY_EVERY_SECONDS: '1', DATA_DIR: dataFolder, ...env };
      const office = spawnOffice(given, parameters);
      offices.push(office);
      return office;
    },
  };
}

/** Waits until the office says that it is open, and gives its address. */
export async function waitForAddress(office: OfficeProcess): Promise<string> {
  await Promise.race([
    waitFor('the office to open', () => office.stdout().includes('To close')),
    office.ended.then(() => Promise.reject(new Error(`It ended: ${office.stderr()}`))),
  ]);
  return /http:\/\/localhost:\d+/.exec(office.stdout())?.[0] ?? '';
}

/** Waits until a condition holds, or fails naming what was waited for. */
export async function waitFor(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 20_000,
): Promise<void> {
  const endsAt = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > endsAt) throw new Error(`Waited ${withinMs} ms in vain for ${what}.`);
    await delay(30);
  }
}

/** All processes that a process started, and those that they started. */
export function listDescendants(pid: number, parents = readParents()): number[] {
  const children = [...parents].filter(([, parent]) => parent === pid).map(([child]) => child);
  return children.flatMap((child) => [child, ...listDescendants(child, parents)]);
}

function spawnOffice(env: NodeJS.ProcessEnv, parameters: readonly string[]): OfficeProcess {
  const { PATH } = process.env;
  const child = spawn(process.execPath, parameters, {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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

/** Every process and its parent. */
function readParents(): Map<number, number | undefined> {
  if (existsSync('/proc/self')) {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return new Map(pids.map((pid) => [Number(pid), readParent(Number(pid))]));
  }
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return new Map(lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]));
}
