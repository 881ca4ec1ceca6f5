import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** The address of a socket holds some hundred bytes on all systems. */
const longestFolder = 60;
const prefix = 'dlo-';

/** Makes a folder that only this user can enter, for sockets and what else belongs to this one run. */
export function makeRunFolder(): string {
  return mkdtempSync(join(tmpdir().length <= longestFolder ? tmpdir() : '/tmp', prefix));
}

/**
 * The same, noted in `dataFolder`, which is locked for us: the folder that an office left there when it was killed
 * with all its processes is removed.
 */
export function makeNotedRunFolder(dataFolder: string): string {
  const note = join(dataFolder, 'run-folder');
  const left = existsSync(note) ? readFileSync(note, 'utf8').trim() : '';
  if (basename(left).startsWith(prefix)) removeRunFolder(left);
  const folder = makeRunFolder();
  writeFileSync(note, `${folder}\n`);
  return folder;
}

export function removeRunFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
