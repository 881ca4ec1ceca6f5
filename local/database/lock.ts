import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LocalServiceError } from '../local-service-error.ts';
import { readIfExists } from '../read-if-exists.ts';

/** Long enough for a service that is shutting down. */
const timeoutMs = 3000;

/**
 * Locks the data folder for this process, and returns the function that unlocks it. Throws a LocalServiceError if another
 * process holds the lock after 3 s, or the folder is not writable. The lock is one of the operating system, which Node
 * offers through SQLite: it ends with the process, so no stale lock can remain.
 */
export function lockFolder(folder: string): () => void {
  const pidFile = join(folder, 'service.pid');
  const lock = openLock(folder);
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (cause) {
    lock.close();
    const holder = `Another Dead Letter Office runs on ${folder} (process ${readIfExists(pidFile) ?? 'unknown'}).`;
    throw new LocalServiceError(`${holder} Stop it, or set DATA_DIR to another folder.`, { cause });
  }
  writeFileSync(pidFile, `${process.pid}\n`);
  return () => lock.close();
}

/** Mode 711: the user of PostgreSQL must pass through the folder; other users cannot list it. */
function openLock(folder: string): DatabaseSync {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    return new DatabaseSync(join(folder, 'service.lock'), { timeout: timeoutMs });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new LocalServiceError(
      `The data folder ${folder} is unusable: ${reason}. Correct its permissions, or set DATA_DIR to another folder.`,
      { cause },
    );
  }
}
