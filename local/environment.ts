import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Settings } from './settings.ts';

/**
 * The environment of the functions: ours, with the database and with the demo's routes after those of the person.
 * Routes go by a file, for an environment variable holds 128 KiB at most.
 */
export function composeEnvironment(
  settings: Settings,
  given: {
    readonly databaseUrl: string;
    readonly demoRoutes: readonly object[];
    readonly runFolder: string;
    readonly continuation: NodeJS.ProcessEnv;
  },
): NodeJS.ProcessEnv {
  const file = join(given.runFolder, 'routes.json');
  writeFileSync(file, JSON.stringify([...settings.routes, ...given.demoRoutes]));
  const { PORT: _, ROUTES: __, ...env } = process.env;
  const { databaseUrl: DATABASE_URL, runFolder: DLO_RUN_FOLDER } = given;
  const ours = { DATABASE_URL, ROUTES_FILE: file, CONSOLE_PATH: '/console', DLO_RUN_FOLDER };
  return { LOCAL_CALLER: nameUser(), ...env, ...ours, ...given.continuation };
}

/** Whose machine it is. A container may run as a user that has no name. */
function nameUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'local';
  }
}
