import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { endWithProcess } from './end-with-process.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** A command of the product in a process of its own. */
export type RunningCommand = {
  readonly child: ChildProcess;
  readonly ended: Promise<{
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
};

/** Starts a file of the product with arguments; `input` is its standard input, which stays open without it. */
export function startCommand(
  [file, ...args]: readonly [string, ...string[]],
  { env = {}, input }: { readonly env?: Record<string, string>; readonly input?: string | Buffer } = {},
): RunningCommand {
  const child = spawn(process.execPath, [path.join(root, file), ...args], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
  });
  endWithProcess(child);
  if (input !== undefined) child.stdin.end(input);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]).then(
    ([stdout, stderr, [status]]) => ({ status, stdout, stderr }),
  );
  return { child, ended };
}
