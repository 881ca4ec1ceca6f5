import { globSync, rmSync } from 'node:fs';

/** About 70 MB. A run adds several hundred; a checkout needs some thousand. */
const maxFiles = 15_000;

/**
 * Removes what Node.js has compiled if there is too much of it. Node.js knows a file by its path and removes
 * nothing, and tests run copies of the project, each with another path.
 */
export function limitCompileCache(folder: string, max = maxFiles): void {
  if (globSync('*/*', { cwd: folder }).length > max) rmSync(folder, { recursive: true, force: true });
}
