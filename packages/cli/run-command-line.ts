import { CommanderError } from 'commander';
import { openApi } from './api/api.ts';
import { getIdentityToken } from './api/identity-token.ts';
import { findOperation, type Operations } from './api/operations.ts';
import { buildProgram } from './build-program.ts';
import { CommandError } from './command-error.ts';
import { commands } from './commands.ts';
import { codeOf } from './exit-codes.ts';
import { readSettings } from './settings.ts';
import { openTerminal, type Streams, toPrintable } from './terminal/terminal.ts';

/** The parts of its process that the command line uses. */
export type Surroundings = Streams & {
  readonly operations: Operations;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
};

/** Runs `dlo` with these arguments. Returns its exit code. */
export async function runCommandLine(
  args: readonly string[],
  { operations, version, env, signal, ...streams }: Surroundings,
): Promise<number> {
  const broken = new AbortController();
  for (const stream of [streams.stdout, streams.stderr]) stream.on('error', (error) => broken.abort(error));
  const ended = AbortSignal.any([signal, broken.signal]);
  let exitCode: number = codeOf('done');
  const program = buildProgram(
    { operations, version },
    commands,
    async (command, input, { json, ...given }) => {
      const settings = await readSettings({ ...given, env });
      const getToken = settings.isLocal ? undefined : () => getIdentityToken(env);
      const api = openApi({ operations, url: settings.url, getToken, signal: ended });
      const terminal = openTerminal(streams, json);
      // Until it ends: a list may end early with its reader, a change is then not done.
      if (findOperation(operations, command.operation).method === 'post') exitCode = codeOf('partial');
      exitCode = (await command.run({ api, terminal, settings, signal: ended }, input)) ?? codeOf('done');
    },
  );
  const write = (stream: NodeJS.WritableStream) => (text: string) => void stream.write(text);
  const output = { writeOut: write(streams.stdout), writeErr: write(streams.stderr) };
  const { columns = 80 } = streams.stdout;
  for (const each of [program, ...program.commands]) {
    each.configureOutput({ ...output, getOutHelpWidth: () => columns, getErrHelpWidth: () => columns });
    each.exitOverride();
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    // Until all is written: the last line may not fit on the disk.
    await new Promise((resolve) => streams.stdout.write('', resolve));
    broken.signal.throwIfAborted();
    return exitCode;
  } catch (error) {
    const note = (text: string) => streams.stderr.write(`${toPrintable(text)}\n`);
    return report(error, { signal, broken: broken.signal, exitCode, note });
  }
}

type Reporting = {
  readonly signal: AbortSignal;
  /** Aborted with the error of an output. */
  readonly broken: AbortSignal;
  readonly exitCode: number;
  readonly note: (text: string) => void;
};

function report(error: unknown, { signal, broken, exitCode, note }: Reporting): number {
  // Help and errors of the command line are printed already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? codeOf('done') : codeOf('usage');
  if (broken.aborted) {
    const { code, message } = broken.reason as NodeJS.ErrnoException;
    // A reader that exits, such as `head`, is no failure.
    if (code === 'EPIPE') return exitCode;
    note(`The output cannot be written: ${message}`);
    return codeOf('failed');
  }
  if (signal.aborted) return codeOf('interrupted');
  if (!(error instanceof CommandError)) throw error;
  note(error.message);
  return error.exitCode;
}
