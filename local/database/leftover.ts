import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CannotOpenError } from '../cannot-open-error.ts';
import { isAlive, readCommand, waitUntilGone } from '../processes/process-table.ts';

/**
 * Stops a PostgreSQL that an earlier office left on this data folder when it was killed. Only call this while the
 * data folder is locked for us.
 */
export async function stopLeftover(dataFolder: string): Promise<void> {
  const pidFile = join(dataFolder, 'postmaster.pid');
  const pid = readPid(pidFile);
  if (pid === undefined || !isAlive(pid)) return;
  const command = readCommand(pid);
  if (!command.includes('postgres') || !command.includes(dataFolder)) {
    // The number belongs to another program by now, and PostgreSQL would take that for a running server.
    rmSync(pidFile, { force: true });
    return;
  }
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
