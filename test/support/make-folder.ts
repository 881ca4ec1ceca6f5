import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  globSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Linux keeps these files in memory: those of a database are made in a tenth of the processor time. */
const memory = '/dev/shm';
/** A run needs a third of it. In a container, it may have 64 MB. */
const enoughBytes = 4 * 2 ** 30;
const prefix = 'dlo-test-';

/** Makes a folder for all files of a run: in memory if there is enough, unless TMPDIR names another place. */
export function makeFolder(): string {
  if (process.env.TMPDIR !== undefined || !existsSync(memory)) return makeIn(tmpdir());
  removeLeftOver();
  if (!hasRoom()) return makeIn(tmpdir());
  const folder = makeIn(memory);
  if (canRunPrograms(folder)) return folder;
  rmSync(folder, { recursive: true });
  return makeIn(tmpdir());
}

/** A run that was killed would hold memory until the machine restarts. */
function removeLeftOver(): void {
  for (const name of globSync(`${prefix}*`, { cwd: memory })) {
    const pid = Number(name.split('-')[2]);
    if (!existsSync(`/proc/${pid}`)) rmSync(path.join(memory, name), { recursive: true, force: true });
  }
}

function hasRoom(): boolean {
  const { bavail, bsize } = statfsSync(memory);
  return Math.min(bavail * bsize, process.availableMemory()) >= enoughBytes;
}

function makeIn(place: string): string {
  const folder = mkdtempSync(path.join(place, `${prefix}${process.pid}-`));
  // PostgreSQL does not run as root; its own user must be able to enter the folder.
  chmodSync(folder, 0o711);
  return folder;
}

/** A file system may be mounted such that it has none: tests write programs that commands call. */
function canRunPrograms(folder: string): boolean {
  const program = path.join(folder, 'program');
  writeFileSync(program, '', { mode: 0o755 });
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
