import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Supervised, supervise, type Watch } from './processes/supervise.ts';
import { repositoryFolder } from './settings.ts';

/** The functions of the office. Each is reached under a path of its own name. */
export const functionNames = ['capture', 'retry', 'replay', 'console', 'maintain'] as const;
export type FunctionName = (typeof functionNames)[number];

export type FunctionProcess = Supervised & { readonly name: FunctionName; readonly socket: string };

type Start = {
  readonly env: NodeJS.ProcessEnv;
  /** Where the sockets go: a private folder, so that only the gateway reaches the functions. */
  readonly folder: string;
  readonly watch: Watch;
  readonly readLine: (name: FunctionName, line: string) => void;
};

/** The gateway has waited for requests under way before. */
const closingMs = 2000;

const { resolve } = createRequire(import.meta.url);
const framework = join(resolve('@google-cloud/functions-framework'), '../main.js');
const preload = fileURLToPath(new URL('processes/exit-with-parent.ts', import.meta.url));

/** Runs a function under the real functions-framework, as Cloud Run does, but on a socket instead of a port. */
export function startFunction(name: FunctionName, start: Start): FunctionProcess {
  const socket = join(start.folder, `${name}.sock`);
  const service = {
    name,
    launch: async () => launch(name, socket, start.env),
    probe: () => isListening(socket),
    readLine: (line: string) => start.readLine(name, line),
    closingMs,
  };
  return { ...supervise(service, start.watch), name, socket };
}

function launch(name: FunctionName, socket: string, env: NodeJS.ProcessEnv): ChildProcess {
  rmSync(socket, { force: true });
  const framed = ['--source', repositoryFolder, '--target', name, '--port', socket];
  return spawn(process.execPath, ['--import', preload, framework, ...framed], {
    env: { ...env, FUNCTION_TARGET: name, NODE_ENV: 'production' },
    // A group of its own, so that Ctrl-C reaches the office alone, which ends everything in the right order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

function isListening(socket: string): Promise<boolean> {
  const connection = connect(socket);
  return new Promise((answer) => {
    connection.once('connect', () => answer(true)).once('error', () => answer(false));
  }).finally(() => connection.destroy()) as Promise<boolean>;
}
