import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { LocalServiceError } from '../local-service-error.ts';
import { isAlive, isListed, readCommand, waitWhile } from '../process-table.ts';
import { readIfExists } from '../read-if-exists.ts';

/** How long an ended process may stay in the process table. */
const reapingMs = 2000;

/**
 * Stops a PostgreSQL that a killed service left running on this data folder. Call it only while this process holds the
 * lock of the data folder. Throws a LocalServiceError if PostgreSQL cannot be stopped within 15 s.
 */
export async function stopLeftover(dataFolder: string): Promise<void> {
  const pidFile = join(dataFolder, 'postmaster.pid');
  const pid = Number(readIfExists(pidFile)?.split('\n')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 1) return;
  if (isPostgresOn(pid, dataFolder)) await end(pid, dataFolder);
  // PostgreSQL treats any process with this id as a running server: an unrelated program, or its own zombie in a
  // container whose first process does not reap.
  if (isAlive(pid) || !(await waitWhile(() => isListed(pid), reapingMs))) rmSync(pidFile, { force: true });
}

function isPostgresOn(pid: number, dataFolder: string): boolean {
  if (!isAlive(pid)) return false;
  const command = readCommand(pid);
  return command.includes('postgres') && command.includes(dataFolder);
}

async function end(pid: number, dataFolder: string): Promise<void> {
  signal(pid, 'SIGINT');
  if (await waitWhile(() => isAlive(pid), 10_000)) return;
  signal(pid, 'SIGQUIT');
  if (await waitWhile(() => isAlive(pid), 5000)) return;
  throw new LocalServiceError(
    `A PostgreSQL on ${dataFolder} does not stop. End process ${pid}, then start again.`,
  );
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (cause) {
    if (!isAlive(pid)) return;
    const problem = `Process ${pid}, a PostgreSQL of another user, runs on the same data. End it first.`;
    throw new LocalServiceError(problem, { cause });
  }
}
