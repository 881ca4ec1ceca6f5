import { CommanderError } from 'commander';
import { openApi } from './api/api.ts';
import { getIdentityToken } from './api/identity-token.ts';
import type { Operations } from './api/operations.ts';
import { buildProgram } from './build-program.ts';
import { CommandError } from './command-error.ts';
import { commands } from './commands.ts';
import { codeOf } from './exit-codes.ts';
import { readSettings } from './settings.ts';
import { openTerminal, type Streams } from './terminal/terminal.ts';

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
  // A reader that exits, such as `head`, is no failure.
  for (const stream of [streams.stdout, streams.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  let exitCode: number = codeOf('done');
  const program = buildProgram(
    { operations, version },
    commands,
    async (command, input, { json, ...given }) => {
      const settings = await readSettings({ ...given, env });
      const getToken = settings.isLocal ? undefined : () => getIdentityToken(env);
      const api = openApi({ operations, url: settings.url, getToken, signal });
      const terminal = openTerminal(streams, json);
      exitCode = (await command.run({ api, terminal, settings, signal }, input)) ?? exitCode;
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
    return exitCode;
  } catch (error) {
    return report(error, { signal, note: (text) => streams.stderr.write(`${text}\n`) });
  }
}

type Reporting = { readonly signal: AbortSignal; readonly note: (text: string) => void };

function report(error: unknown, { signal, note }: Reporting): number {
  // Help and errors of the command line are printed already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? codeOf('done') : codeOf('usage');
  if (signal.aborted) return codeOf('interrupted');
  if (!(error instanceof CommandError)) throw error;
  note(error.message);
  return error.exitCode;
}
