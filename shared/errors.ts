import { countOf } from './count-of.ts';

/** One invalid value of a request or a configuration: its field, the value, and the remedy. */
export type Problem = { readonly field: string; readonly value: unknown; readonly remedy: string };

/** The remedy if Google Cloud answers 401: a token of a command is not renewed. */
export const expiredToken = 'The access token has expired: run the same command again.';

/** The code of each error and the HTTP status of its answer, 500: of an error that no request should meet. */
export const statuses = {
  BAD_INPUT: 400,
  NOT_AUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  SELECTION_CHANGED: 409,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TOO_COSTLY: 422,
  CUT_SHORT: 503,
  DATABASE_UNAVAILABLE: 503,
  IDENTITY_UNAVAILABLE: 503,
  OVERLOADED: 503,
  REQUEST_FAILED: 503,
  BAD_CONFIGURATION: 500,
  EXPORT_DAMAGED: 500,
  LOCAL_SERVICE_FAILED: 500,
  PATCH_DOES_NOT_APPLY: 500,
  UNEXPECTED: 500,
} as const;

/** Base of all errors of this product. `code` is stable; `message` is for operators and callers. */
export abstract class DeadLetterError extends Error {
  abstract readonly code: keyof typeof statuses;
  override get name(): string {
    return this.constructor.name;
  }
}

/** Base of the errors that list every problem at once. */
abstract class ProblemsError extends DeadLetterError {
  readonly problems: readonly Problem[];

  constructor(subject: string, problems: readonly Problem[]) {
    super(`${subject} has ${countOf(problems.length, 'problem')}:\n${problems.map(show).join('\n')}`);
    this.problems = problems;
  }
}

/** The configuration is invalid. Lists every problem at once; nothing was started. */
export class ConfigError extends ProblemsError {
  readonly code = 'BAD_CONFIGURATION';

  constructor(problems: readonly Problem[]) {
    super('The configuration', problems);
  }
}

/** A request is invalid. Lists every problem at once; nothing was changed. */
export class InputError extends ProblemsError {
  readonly code = 'BAD_INPUT';

  constructor(problems: readonly Problem[]) {
    super('The request', problems);
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

/** Other events match than at the preview. Nothing was changed. */
export class SelectionChangedError extends DeadLetterError {
  readonly code = 'SELECTION_CHANGED';
  /** The number of events at the preview. */
  readonly previewed: number;
  /** The new preview, for callers of the API. */
  readonly preview: object | undefined;

  constructor(selection: string, preview?: object) {
    const previewed = Number.parseInt(selection, 10);
    super(
      `The selection is no longer that of the preview, which had ${countOf(previewed, 'event')}. Nothing was changed: see the new preview.`,
    );
    this.previewed = previewed;
    this.preview = preview;
  }
}

/** The body of a request has another media type than its endpoint reads. Nothing was changed. */
export class UnsupportedMediaTypeError extends DeadLetterError {
  readonly code = 'UNSUPPORTED_MEDIA_TYPE';
}

/** A request is larger than its endpoint reads. Nothing was changed. */
export class TooLargeError extends DeadLetterError {
  readonly code = 'TOO_LARGE';

  constructor(maxBytes: number) {
    super(`The body is larger than ${maxBytes} bytes. Nothing was changed; send less in one request.`);
  }
}

/** The requests of this instance hold as many bytes as it may. Nothing was changed. */
export class OverloadedError extends DeadLetterError {
  readonly code = 'OVERLOADED';

  constructor() {
    super('This instance holds as many bytes as it may. Nothing was changed; send the same request again.');
  }
}

/** A query would keep the database busy for too long. The message advises a cheaper one. */
export class TooCostlyError extends DeadLetterError {
  readonly code = 'TOO_COSTLY';
}

/** Callers cannot be authenticated at the moment; `reason` says why and what to do. Nothing was changed. */
export class IdentityUnavailableError extends DeadLetterError {
  readonly code = 'IDENTITY_UNAVAILABLE';

  constructor(reason: string, cause?: unknown) {
    super(`${reason} Nothing was changed; send the same request again.`, { cause });
  }
}

/** A service that should do the work could not be asked to; `reason` says which work. Nothing was changed. */
export class RequestFailedError extends DeadLetterError {
  readonly code = 'REQUEST_FAILED';

  constructor(reason: string, cause?: unknown) {
    super(`${reason} Nothing was changed; send the same request again.`, { cause });
  }
}

const diskFull = 'the disk of the database is full';
const otherSchema = 'the schema of the database is that of another version: run npm run migrate';

/** Conditions of a database that an operator must end, by SQLSTATE or the error code of the system. */
const conditions: Readonly<Record<string, string>> = {
  53100: diskFull,
  ENOSPC: diskFull,
  53200: 'the database is out of memory',
  53300: 'the database accepts no further connections',
  25006: 'the database is read-only',
  42501: 'the login lacks a right in the database: migrate with its role in DB_LOGINS',
  '42P01': otherSchema,
  42703: otherSchema,
  42883: otherSchema,
  XX001: 'the data of the database is corrupted',
  XX002: 'an index of the database is corrupted',
  NOT_UTF8:
    "the database must have the encoding UTF8: create one with ENCODING 'UTF8' TEMPLATE template0, and restore into it",
};

/** The database is unavailable or rejected the work for now; the same call may succeed later. */
export class DatabaseUnavailableError extends DeadLetterError {
  readonly code = 'DATABASE_UNAVAILABLE';
  /** The fault that an operator must mend, in words that reveal nothing else; undefined if it is unknown. */
  readonly condition: string | undefined;

  constructor(cause: unknown) {
    const condition = cause instanceof Error && 'code' in cause ? conditions[String(cause.code)] : undefined;
    const subject = (condition ?? 'the database is unavailable').replace('the', 'The');
    super(`${subject}. Committed work is kept; send the same request again.`, { cause });
    this.condition = condition;
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

/** The database failed during an action. A repetition changes the events that the audit lacks. */
export class ActionCutShortError extends DeadLetterError {
  readonly code = 'CUT_SHORT';

  constructor(auditId: string, changed: number, cause: DatabaseUnavailableError) {
    super(
      `${cause.message} At least ${changed} events were changed: the audit lists them under ${auditId}.`,
      { cause },
    );
  }
}

function show({ field, value, remedy }: Problem): string {
  const text = value === undefined ? '(not set)' : (JSON.stringify(value) ?? String(value));
  return `  ${field} = ${text.length > 80 ? `${text.slice(0, 77)}...` : text}\n    ${remedy}`;
}
