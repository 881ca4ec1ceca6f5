import { DeadLetterError } from '../shared/errors.ts';

/** A command cannot go on. The message says why, and what to do; nothing is lost. */
export class CommandError extends DeadLetterError {
  readonly code = 'COMMAND_STOPPED';
}
