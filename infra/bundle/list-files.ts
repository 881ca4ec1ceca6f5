import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** The files of a folder and those below it, as sorted paths with slashes. What a desktop hides is left out. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      path.relative(folder, path.join(parentPath, name)).split(path.sep).join('/'),
    )
    .filter((file) => !/(^|\/)\./.test(file))
    .sort();
}
