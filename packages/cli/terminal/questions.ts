import { confirm as askYesOrNo, isCancel, text } from '@clack/prompts';
import { CommandError } from '../command-error.ts';
import type { Terminal } from './terminal.ts';

/** The option that answers `confirm` beforehand. */
export const yesOption = { flags: '--yes', text: 'Asks no question.' };

/** Asks before a change. Throws a CommandError if the answer is no, or if there is no terminal. */
export async function confirm(terminal: Terminal, message: string): Promise<void> {
  if (!terminal.isInteractive)
    throw new CommandError('usage', 'There is no terminal to ask in. Add --yes to go on without a question.');
  if (!(await isYes(terminal, message))) throw new CommandError('interrupted', 'Nothing was changed.');
}

/** Asks a question. Ctrl-C is a no. */
export async function isYes(terminal: Terminal, message: string): Promise<boolean> {
  return (await askYesOrNo({ message, initialValue: false, ...ends(terminal) })) === true;
}

/** The reason of an action as the command line gives it, or as the user answers. Throws a CommandError. */
export async function getReason(terminal: Terminal, given: unknown): Promise<string> {
  if (typeof given === 'string') return given;
  if (!terminal.isInteractive)
    throw new CommandError('usage', 'Add --reason: there is no terminal to ask in.');
  const validate = (value: string | undefined) => (value?.trim() ? undefined : 'Give at least a word.');
  const answer = await text({ message: 'Why? The audit records it.', validate, ...ends(terminal) });
  if (isCancel(answer)) throw new CommandError('interrupted', 'Nothing was changed.');
  return answer.trim();
}

/** Questions are asked on stderr: stdout has the result alone. */
function ends({ stdin: input, stderr: output }: Terminal) {
  return { input, output };
}
