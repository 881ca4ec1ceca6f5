import { writeFileSync } from 'node:fs';
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
  const ours = { DATABASE_URL: given.databaseUrl, ROUTES_FILE: file, DLO_RUN_FOLDER: given.runFolder };
  return { ...env, ...ours, CONSOLE_PATH: '/console', ...given.continuation };
}
