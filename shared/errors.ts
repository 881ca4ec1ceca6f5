/** One thing wrong with what a person gave us: where, what it was, and what to do about it. */
export type Problem = { readonly field: string; readonly value: unknown; readonly remedy: string };

/** Base of every failure this product names. `code` is stable; `message` is for people. */
export abstract class OfficeError extends Error {
  abstract readonly code: string;
  override get name(): string {
    return this.constructor.name;
  }
}

/** The configuration cannot be used. Lists every problem at once; nothing has been started. */
export class ConfigError extends OfficeError {
  readonly code = 'BAD_CONFIGURATION';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(`The configuration has ${countProblems(problems)}:\n${listProblems(problems)}`);
    this.problems = problems;
  }
}

/** A request cannot be understood. Lists every problem at once; nothing has been changed. */
export class InputError extends OfficeError {
  readonly code = 'BAD_INPUT';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(`The request has ${countProblems(problems)}:\n${listProblems(problems)}`);
    this.problems = problems;
  }
}

/** The sender did not prove who it is. Nothing has been changed. */
export class NotAuthorizedError extends OfficeError {
  readonly code = 'NOT_AUTHORIZED';
}

/** The sender is known and may not do this. Nothing has been changed. */
export class ForbiddenError extends OfficeError {
  readonly code = 'FORBIDDEN';
}

/** There is nothing of that name. */
export class NotFoundError extends OfficeError {
  readonly code = 'NOT_FOUND';
}

/** What was asked for does not go together with how things stand. Nothing has been changed. */
export class ConflictError extends OfficeError {
  readonly code = 'CONFLICT';
}

/** Answering would keep the database busy for too long. Says what to ask instead. */
export class TooCostlyError extends OfficeError {
  readonly code = 'TOO_COSTLY';
}

/** The keys that prove who somebody is cannot be had right now. Nothing has been changed. */
export class IdentityUnavailableError extends OfficeError {
  readonly code = 'IDENTITY_UNAVAILABLE';

  constructor(url: string, cause: unknown) {
    super(`The keys at ${url} cannot be read right now. Nothing was changed; send the same request again.`, {
      cause,
    });
  }
}

/** The database could not be reached or refused the work for now; the same call may succeed later. */
export class DatabaseUnavailableError extends OfficeError {
  readonly code = 'DATABASE_UNAVAILABLE';

  constructor(cause: unknown) {
    super(
      'The database cannot be reached right now. What was done before is kept; send the same request again.',
      {
        cause,
      },
    );
  }
}

/** What was exported does not read back as it was written. Nothing was dropped. */
export class ExportDamagedError extends OfficeError {
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
