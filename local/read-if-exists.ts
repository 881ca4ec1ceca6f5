import { readFileSync } from 'node:fs';

/** Returns the text of a file without the space around it, or undefined if the file cannot be read. */
export function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
