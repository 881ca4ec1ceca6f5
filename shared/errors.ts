/** One invalid value of a request or a configuration: its field, the value, and the remedy. */
export type Problem = { readonly field: string; readonly value: unknown; readonly remedy: string };

/** Base of all errors of this product. `code` is stable; `message` is for operators and callers. */
export abstract class DeadLetterError extends Error {
  abstract readonly code: string;
  override get name(): string {
    return this.constructor.name;
  }
}

/** The configuration is invalid. Lists every problem at once; nothing was started. */
export class ConfigError extends DeadLetterError {
  readonly code = 'BAD_CONFIGURATION';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(`The configuration has ${countProblems(problems)}:\n${listProblems(problems)}`);
    this.problems = problems;
  }
}

/** A request is invalid. Lists every problem at once; nothing was changed. */
export class InputError extends DeadLetterError {
  readonly code = 'BAD_INPUT';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(`The request has ${countProblems(problems)}:\n${listProblems(problems)}`);
    this.problems = problems;
  }
}

/** The caller is not authenticated. Nothing was changed. */
export class NotAuthorizedError extends DeadLetterError {
  readonly code = 'NOT_AUTHORIZED';
}

/** The caller is authenticated and lacks the permission. Nothing was changed. */
export class ForbiddenError extends DeadLetterError {
  readonly code = 'FORBIDDEN';
}

/** The named resource does not exist. */
export class NotFoundError extends DeadLetterError {
  readonly code = 'NOT_FOUND';
}

/** The request conflicts with the present state. Nothing was changed. */
export class ConflictError extends DeadLetterError {
  readonly code = 'CONFLICT';
}

/** A query would keep the database busy for too long. The message advises a cheaper one. */
export class TooCostlyError extends DeadLetterError {
  readonly code = 'TOO_COSTLY';
}

/** The keys that prove who somebody is cannot be had right now. Nothing has been changed. */
export class IdentityUnavailableError extends DeadLetterError {
  readonly code = 'IDENTITY_UNAVAILABLE';

  constructor(url: string, cause: unknown) {
    super(`The keys at ${url} cannot be read right now. Nothing was changed; send the same request again.`, {
      cause,
    });
  }
}

/** The database is unavailable or rejected the work for now; the same call may succeed later. */
export class DatabaseUnavailableError extends DeadLetterError {
  readonly code = 'DATABASE_UNAVAILABLE';

  constructor(cause: unknown) {
    super('The database is unavailable. Committed work is kept; send the same request again.', { cause });
  }
}

/** An export differs from the events that were written. Nothing was dropped. */
export class ExportDamagedError extends DeadLetterError {
  readonly code = 'EXPORT_DAMAGED';

  constructor(file: string, written: number, read: number) {
    super(
      `${file} does not read back: ${written} events were written, ${read} read, or their bytes differ. Nothing was dropped.`,
    );
  }
}

function countProblems(problems: readonly Problem[]): string {
  return problems.length === 1 ? '1 problem' : `${problems.length} problems`;
}

function listProblems(problems: readonly Problem[]): string {
  return problems.map(({ field, value, remedy }) => `  ${field} = ${show(value)}\n    ${remedy}`).join('\n');
}

function show(value: unknown): string {
  if (value === undefined) return '(not set)';
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
