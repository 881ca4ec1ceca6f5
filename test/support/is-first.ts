import { closeSync, openSync } from 'node:fs';

/** Returns whether this process is the first one to create a file. */
export function isFirst(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
