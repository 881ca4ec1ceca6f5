import { PassThrough } from 'node:stream';
import { before } from 'node:test';
import { WriteStream } from 'node:tty';
import { describeApi } from '../../../functions/replay/api/describe-api.ts';
import { routes } from '../../../functions/replay/replay.ts';
import type { Operations } from '../../../packages/cli/api/operations.ts';
import { type ApiDocument, readOperations } from '../../../packages/cli/api/read-operations.ts';
import { runCommandLine } from '../../../packages/cli/run-command-line.ts';

export type Ran = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

/** A question on the terminal, and the keys that a user presses then. */
export type Answer = {
  readonly to: RegExp;
  readonly keys: string;
  /** Runs before the keys are pressed. */
  readonly before?: () => Promise<unknown>;
};

type Surroundings = {
  /** A terminal of this width; without it both outputs are pipes. */
  readonly columns?: number;
  /** The answers of its user, in the order of the questions. */
  readonly answers?: readonly Answer[];
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string;
  /** The reader of both outputs has exited. */
  readonly isUnread?: boolean;
  /** The disk of stdout is full. */
  readonly isFull?: boolean;
  readonly signal?: AbortSignal;
  /** Is called with all output so far, whenever there is more. */
  readonly watch?: (output: string) => void;
};

/** Every suite of a process has the same: to describe the API takes longer than most suites. */
let described: Promise<Operations> | undefined;

/** The operations of the API, as the package is built with them. */
export function describeOperations(): Promise<Operations> {
  described ??= describeApi(routes).then((document) => readOperations(document as ApiDocument));
  return described;
}

/** `dlo`, for the deployment at `url`. */
export function useCommandLine(url: () => string) {
  let operations: Operations = {};
  before(async () => {
    operations = await describeOperations();
  });
  return async (args: readonly string[], given: Surroundings = {}): Promise<Ran> => {
    const { columns, answers = [], env = { DLO_URL: url() }, signal = new AbortController().signal } = given;
    const getColorDepth = () => WriteStream.prototype.getColorDepth({ TERM: 'xterm-256color', ...env });
    const terminal =
      columns === undefined ? {} : { isTTY: true, columns, getColorDepth, setRawMode: () => {} };
    const [stdin, stdout, stderr] = [1, 2, 3].map(() => Object.assign(new PassThrough(), terminal)) as [
      PassThrough,
      PassThrough,
      PassThrough,
    ];
    const output = { stdout: '', stderr: '' };
    const open = [...answers];
    let seen = 0;
    const read = (name: keyof typeof output) => (chunk: Buffer) => {
      output[name] += chunk;
      given.watch?.(output.stdout + output.stderr);
      const [next] = open;
      if (!next?.to.test(output.stderr.slice(seen))) return;
      seen = output.stderr.length;
      open.shift();
      void Promise.resolve(next.before?.()).then(() => stdin.write(next.keys));
    };
    stdout.on('data', read('stdout'));
    stderr.on('data', read('stderr'));
    if (given.stdin !== undefined) stdin.end(given.stdin);
    const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    if (given.isUnread) for (const stream of [stdout, stderr]) stream.destroy(closed);
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    if (given.isFull) stdout.destroy(full);
    const streams = { stdin, stdout, stderr };
    const exitCode = await runCommandLine(args, { operations, version: '0', env, signal, ...streams });
    stdin.destroy();
    return { exitCode, ...output };
  };
}
