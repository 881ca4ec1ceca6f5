import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { userInfo } from 'node:os';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import type { Endpoint } from '../functions/endpoint.ts';
import { serveRaw } from '../functions/raw-requests.ts';
import { type FunctionName, functionNames } from '../shared/config/setting.ts';
import { type LogEntry, setLogSink } from '../shared/log.ts';

/** Passes a request to a function. */
export type CallFunction = (name: FunctionName, request: IncomingMessage, response: ServerResponse) => void;

/** Set for all work that a request to a function causes. */
const currentFunction = new AsyncLocalStorage<FunctionName>();

/**
 * Loads all functions into this process, each behind its own server of functions-framework; the servers do
 * not listen. `env` becomes the environment of the process: the functions read it while they load.
 */
export async function loadFunctions(env: NodeJS.ProcessEnv): Promise<CallFunction> {
  process.env = env;
  const endpoints = await import('../functions/index.ts');
  const servers = new Map(functionNames.map((name) => [name, createServer(name, endpoints[name])]));
  return (name, request, response) => {
    currentFunction.run(name, () => servers.get(name)?.emit('request', request, response));
  };
}

/** Passes each log entry to `show` instead of stdout, with the name of the function that wrote it. */
export function redirectLogs(show: (name: FunctionName | undefined, entry: LogEntry) => void): void {
  setLogSink((entry) => show(currentFunction.getStore(), entry));
}

/** A "test server" of the framework is the one that it deploys, without a port. */
function createServer(name: FunctionName, endpoint: Endpoint): Server {
  http(name, endpoint);
  const server = getTestServer(name);
  serveRaw(server, endpoint);
  return server;
}

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

/** Completes the environment, which the functions read at import. */
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
