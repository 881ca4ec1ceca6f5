import { DatabaseUnavailableError } from '../errors.ts';

// Troubles of the server, not of a statement. Classes 08, 40, 53, 55, 57P0x, 58 and XX: connection lost,
// deadlock, out of resources such as disk space, a lock or an object not available, server stopping or
// starting, I/O error, corrupted data. 0A000: a plan from before a migration. 25006: read-only, as a primary
// is after its demotion. 25P03, 25P04, 57014: ended by a timeout or an administrator. 42501, 42703, 42883,
// 42P01: a right, a column, a function or a table that a migration adds.
const unavailable =
  /^(08|0A000|25006|25P0[34]|40|42(501|703|883|P01)|53|55|57014|57P0|58|XX)|^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_SSL|ERR_TLS)/;

/** The database rejected the statement for now, on a connection that can be used for the next one. */
const keepsConnection = /^(40|42|53[12]|55|57014)/;

/** Errors of pg that have no code. */
const silent = /^Query read timeout$|connection timeout$/;
/** The server did not begin the statement: a closed connection, or a plan from before a migration. */
const unsent = /not queryable$|^cached plan must not change result type$/;
const broken = /terminated|timeout exceeded when trying to connect/i;

/** Returns the SQLSTATE or the system's error code, also that of the cause of a DatabaseUnavailableError. */
export function errorCodeOf(error: unknown): string {
  if (error instanceof DatabaseUnavailableError) return errorCodeOf(error.cause);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether the same statement may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { message } = error;
  return unavailable.test(errorCodeOf(error)) || [silent, unsent, broken].some((each) => each.test(message));
}

/** Whether the statement cannot have had an effect, and succeeds on another connection. */
export function wasNeverSent(error: unknown): boolean {
  return error instanceof Error && unsent.test(error.message);
}

/** Whether the connection on which a statement failed must not be used again. */
export function breaksConnection(error: unknown): boolean {
  return isUnavailable(error) && !keepsConnection.test(errorCodeOf(error));
}

/** Whether other connections are probably useless, too: the server is silent, or no longer primary. */
export function breaksPool(error: unknown): boolean {
  return errorCodeOf(error) === '25006' || (error instanceof Error && silent.test(error.message));
}

/** Whether a statement failed because another session kept a row locked. */
export function isLocked(error: unknown): boolean {
  return errorCodeOf(error) === '55P03';
}

/** Returns the result, or `otherwise` if another session keeps a row locked. */
export function unlessLocked<Result, Otherwise>(result: Promise<Result>, otherwise: Otherwise) {
  return result.catch((error: unknown) => {
    if (isLocked(error)) return otherwise;
    throw error;
  });
}
