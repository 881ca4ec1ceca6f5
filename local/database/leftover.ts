import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CannotOpenError } from '../cannot-open-error.ts';
import { isAlive, readCommand, waitUntilForgotten, waitUntilGone } from '../processes/process-table.ts';

/** So long the system may take to forget a process that has ended. */
const forgettingMs = 2000;

/**
 * Stops a PostgreSQL that an earlier office left on this data folder when it was killed. Only call this while the
 * data folder is locked for us.
 */
export async function stopLeftover(dataFolder: string): Promise<void> {
  const pidFile = join(dataFolder, 'postmaster.pid');
  const pid = readPid(pidFile);
  if (pid === undefined) return;
  if (isPostgresOn(pid, dataFolder)) await end(pid, dataFolder);
  // PostgreSQL would take anything that goes by this number for a running server: another program by now, or its
  // own dead entry in a container whose first process does not reap.
  if (isAlive(pid) || !(await waitUntilForgotten(pid, forgettingMs))) rmSync(pidFile, { force: true });
}

function isPostgresOn(pid: number, dataFolder: string): boolean {
  if (!isAlive(pid)) return false;
  const command = readCommand(pid);
  return command.includes('postgres') && command.includes(dataFolder);
}

async function end(pid: number, dataFolder: string): Promise<void> {
  signal(pid, 'SIGINT');
  if (await waitUntilGone(pid, 10_000)) return;
  signal(pid, 'SIGQUIT');
  if (await waitUntilGone(pid, 5000)) return;
  throw new CannotOpenError(
    `A PostgreSQL on ${dataFolder} does not stop. End process ${pid}, then start again.`,
  );
}

function readPid(pidFile: string): number | undefined {
  try {
    const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (cause) {
    if (!isAlive(pid)) return;
    throw new CannotOpenError(
      `A PostgreSQL of another user runs on the same data: process ${pid}. End it first.`,
      {
        cause,
      },
    );
  }
}
