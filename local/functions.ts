import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
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

/**
 * A "test server" of the framework is the one that it deploys, without a port. A function replaces its
 * handlers.
 */
function createServer(name: FunctionName, endpoint: Endpoint): Server {
  http(name, endpoint);
  const server = getTestServer(name);
  serveRaw(server, endpoint);
  return server;
}
