import type { Api, Values } from './api/api.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Settings } from './settings.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The tools of a command. */
export type Context = {
  readonly api: Api;
  readonly terminal: Terminal;
  readonly settings: Settings;
  /** Aborted by Ctrl-C, or because an output cannot be written any more. */
  readonly signal: AbortSignal;
};

/** The arguments of the command line. */
export type Input = {
  /** Values of the fields of the operation. */
  readonly values: Values;
  /** Arguments and options of the command's own. */
  readonly own: Readonly<Record<string, string | boolean | undefined>>;
};

/** An argument, `<name>` or `[name]`. It is the field of the operation of that name, or one of its own. */
export type Argument = {
  readonly name: string;
  readonly field?: string;
  /** Replaces the description of the field. */
  readonly text?: string;
};

/** An option that the operation does not have: `--yes`, `--every <seconds>`. */
export type OwnOption = { readonly flags: string; readonly text: string };

/** A command: an operation of the API, from which its texts and options come, and what it does with it. */
export type Command = {
  readonly name: string;
  readonly operation: string;
  /** Replaces the summary of the operation, for a command that does more. */
  readonly summary?: string;
  readonly description?: string;
  readonly arguments?: readonly Argument[];
  /** The fields of the operation that are options. */
  readonly options?: readonly string[];
  readonly own?: readonly OwnOption[];
  readonly examples: readonly string[];
  /** Returns the exit code; 0 by default. */
  readonly run: (context: Context, input: Input) => Promise<ExitCode | undefined>;
};
