import { globSync, rmSync } from 'node:fs';

/** About 150 MB. The copy of the project in one run adds 400, and worktrees may share node_modules. */
const maxFiles = 30_000;

/**
 * Removes what Node.js has compiled if there is too much of it. Node.js knows a file by its path and removes
 * nothing, and tests run copies of the project, each with another path.
 */
export function limitCompileCache(folder: string, max = maxFiles): void {
  if (globSync('*/*', { cwd: folder }).length > max) rmSync(folder, { recursive: true, force: true });
}
