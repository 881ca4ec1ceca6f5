import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The address of a socket holds some hundred bytes on all systems. */
const longestFolder = 60;

/** Makes a folder that only this user can enter, for sockets and what else belongs to this one run. */
export function makeRunFolder(): string {
  return mkdtempSync(join(tmpdir().length <= longestFolder ? tmpdir() : '/tmp', 'dlo-'));
}

export function removeRunFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
