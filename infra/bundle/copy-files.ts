import { cp } from 'node:fs/promises';
import path from 'node:path';
import { listFiles } from './list-files.ts';

/**
 * Copies the files that `modules` read, the statements (`*.sql`) and everything in `assets/` beside them, to the folder of
 * their bundled code: `new URL('assets/page.css', import.meta.url)` finds the copy. Throws if two have the same name.
 */
export async function copyFiles(modules: readonly string[], to: string): Promise<void> {
  for (const folder of new Set(modules.map((module) => path.dirname(module)))) {
    const files = await listFiles(folder);
    for (const file of files.filter((each) => /^([^/]+\.sql|assets\/.+)$/.test(each))) {
      await cp(path.join(folder, file), path.join(to, file), { force: false, errorOnExist: true });
    }
  }
}
