import { codeOf, type ExitCode, type exitCodes } from './exit-codes.ts';

/** A failure with its exit code; the message says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(kind: keyof typeof exitCodes, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = codeOf(kind);
  }
}
