import { readFileSync } from 'node:fs';
import { LocalServiceError } from './installation.ts';

/**
 * Returns the text of a file without the space around it, or undefined if there is none. Throws a
 * LocalServiceError if it is there for another user.
 */
export function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EACCES') return undefined;
    const remedy = 'Start as the user whose data it is, or set DATA_DIR to another folder.';
    throw new LocalServiceError(`${file} may not be read. ${remedy}`, { cause });
  }
}
