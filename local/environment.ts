import { userInfo } from 'node:os';

/** Known only after the database and the demo have started. */
export type Started = {
  readonly databaseUrl: string;
  /** Routes of the operator, then those of the demo. */
  readonly routes: readonly object[];
  /** The address of the function retry, from which a tick requests further workers. */
  readonly retryUrl: string;
};

/** As many connections as five deployed functions with the default of 4 each may hold. */
const poolMax = '20';

/**
 * Composes the environment that the functions read at import: the given one, completed by the database, the
 * routes and the operator's name.
 */
export function composeEnvironment(given: NodeJS.ProcessEnv, started: Started): NodeJS.ProcessEnv {
  // The functions would take the process for a deployed one that serves a single target.
  const { PORT: _, ROUTES_FILE: __, FUNCTION_TARGET: ___, ...env } = given;
  return {
    LOCAL_CALLER: readUserName(),
    DB_POOL_MAX: poolMax,
    CONTINUE_TOPIC: started.retryUrl,
    // Error pages of the framework show stack traces otherwise.
    NODE_ENV: 'production',
    ...env,
    DATABASE_URL: started.databaseUrl,
    ROUTES: JSON.stringify(started.routes),
    CONSOLE_PATH: '/console',
  };
}

/** A container may run as a user without a name. */
function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'local';
  }
}
