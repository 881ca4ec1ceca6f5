import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** Returns the files of a folder and its subfolders as sorted paths with slashes. Hidden files are excluded. */
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
