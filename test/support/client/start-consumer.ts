import { spawn } from 'node:child_process';
import path from 'node:path';
import { endWithProcess } from '../end-with-process.ts';

const program = path.join(import.meta.dirname, 'spooling-consumer.ts');

type Settings = {
  readonly capture: string;
  /** Of the spool. */
  readonly folder: string;
  readonly ids: readonly string[];
  /** How large a file may become, in blocks of the shell: beyond it the disk is full. */
  readonly maxFileBlocks?: number;
};

/** Starts a consumer with a spool in a process of its own. */
export function startConsumer({ capture, folder, ids, maxFileBlocks }: Settings) {
  const limit = maxFileBlocks === undefined ? '' : `ulimit -f ${maxFileBlocks}; `;
  const command = [process.execPath, program, capture, folder, ids.join()];
  const child = spawn('/bin/sh', ['-c', `${limit}exec "$@"`, 'sh', ...command]);
  endWithProcess(child);
  const [printed, warned]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => warned.push(chunk));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    lines: () => Buffer.concat(printed).toString().split('\n').slice(0, -1),
    warnings: () => Buffer.concat(warned).toString(),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
