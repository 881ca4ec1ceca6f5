import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { after, before } from 'node:test';
import { endWithProcess } from './end-with-process.ts';
import { findFreePort } from './free-port.ts';

const root = path.resolve(import.meta.dirname, '../..');
const framework = path.join(root, 'node_modules/.bin/functions-framework');
const flushCompileCache = path.join(import.meta.dirname, 'flush-compile-cache.ts');

export type ServedFunction = {
  readonly url: string;
  readonly child: ChildProcess;
  /** Everything it wrote so far. */
  output(): string;
  stop(): Promise<void>;
};

/** Serves one function to a suite by the real functions-framework, in a process of its own. */
export function useFunction(target: string, env: () => Record<string, string>): () => ServedFunction {
  let served: ServedFunction | undefined;
  before(async () => {
    served = await serveFunction(target, env());
  });
  after(() => served?.stop());
  return () => {
    if (!served) throw new Error('The function is served only while tests run.');
    return served;
  };
}

/**
 * Serves a function by the real functions-framework. Another process may take the port that was free a moment
 * before: then it is tried again.
 */
export async function serveFunction(
  target: string,
  env: Record<string, string>,
  starts = 5,
): Promise<ServedFunction> {
  try {
    return await startFunction(target, env);
  } catch (error) {
    if (starts === 1 || !String(error).includes('EADDRINUSE')) throw error;
    return serveFunction(target, env, starts - 1);
  }
}

async function startFunction(target: string, env: Record<string, string>): Promise<ServedFunction> {
  const port = await findFreePort();
  const child = spawn(
    process.execPath,
    ['--import', flushCompileCache, framework, '--source', root, '--target', target, '--port', `${port}`],
    {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        FUNCTION_TARGET: target,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  endWithProcess(child);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const output = () => Buffer.concat(chunks).toString('utf8');
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => output().includes('Serving function') && resolve());
    ended.then(() => reject(new Error(`The function did not start:\n${output()}`)), reject);
  });
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { url: `http://127.0.0.1:${port}/`, child, output, stop };
}
