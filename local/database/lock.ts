import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CannotOpenError } from '../cannot-open-error.ts';

/** An office that is just closing gets this long to finish. */
const patienceMs = 3000;

/**
 * Takes the data folder for this office, or throws a CannotOpenError if another office has it. The lock is one of
 * the operating system (taken through SQLite, the way to one that Node has): it ends with the process, however the
 * process ends, and no stale lock can be left.
 */
export function lockFolder(folder: string): () => void {
  const note = join(folder, 'office.pid');
  const lock = openLock(folder);
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (cause) {
    lock.close();
    const holder = `Another office is open on ${folder} (process ${readNote(note)}).`;
    throw new CannotOpenError(`${holder} Close it, or set DATA_DIR to another folder.`, { cause });
  }
  writeFileSync(note, `${process.pid}\n`);
  return () => lock.close();
}

/** Others may pass through the folder, as the user of PostgreSQL must, but see nothing in it. */
function openLock(folder: string): DatabaseSync {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    return new DatabaseSync(join(folder, 'office.lock'), { timeout: patienceMs });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CannotOpenError(
      `The data folder ${folder} cannot be used: ${reason}. Correct its permissions, or set DATA_DIR to another folder.`,
      { cause },
    );
  }
}

function readNote(note: string): string {
  try {
    return readFileSync(note, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
