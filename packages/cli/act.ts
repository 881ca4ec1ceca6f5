import type { Api } from './api/api.ts';
import type { Context, Input } from './command.ts';
import { ask } from './terminal/questions.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The reason of an action as the command line gives it, or as the user answers. Throws a CommandError. */
export async function getReason(terminal: Terminal, given: unknown): Promise<string> {
  if (typeof given === 'string') return given;
  return ask(terminal, 'Why? The audit records it.', '--reason');
}

type Act<Answer> = {
  readonly operation: Parameters<Api['call']>[0];
  /** Says in a sentence what was done. */
  readonly describe: (answer: Answer) => string;
};

/** Runs an operation that needs a reason, and prints what was done, or the answer as JSON. */
export async function act<Answer>(
  { api, terminal }: Context,
  { values }: Input,
  { operation, describe }: Act<Answer>,
): Promise<undefined> {
  const reason = await getReason(terminal, values.reason);
  const answer = await api.call<Answer>(operation, { ...values, reason });
  if (terminal.isText) terminal.print(describe(answer));
  else terminal.printJson(answer);
}
