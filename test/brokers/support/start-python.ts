import path from 'node:path';
import { pythonFolder, softwareFolder } from './cache.ts';
import { type Program, startProgram } from './start-program.ts';

/** Starts Python with the packages of the cache, in the folder of the failing programs. */
export function startPython(parameters: readonly string[], env: Readonly<Record<string, string>>): Program {
  const cwd = path.join(softwareFolder, 'python');
  return startProgram(['python3', ...parameters], {
    cwd,
    env: { ...env, PYTHONPATH: `${pythonFolder}:${cwd}`, PYTHONDONTWRITEBYTECODE: '1' },
  });
}
