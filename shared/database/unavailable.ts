import { DatabaseUnavailableError } from '../errors.ts';

// Classes 08, 40, 53, 57P0x and 58: connection lost, deadlock, out of resources such as disk space, server
// stopping or starting, I/O error. 25006: read-only, as a primary is after its demotion. 55P03: lock_timeout,
// as another transaction kept a row locked. 57014: cancelled, by statement_timeout or an administrator.
const unavailable =
  /^(08|25006|40|53|55P03|57014|57P0|58)|^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_SSL|ERR_TLS)/;

/** The database rejected the statement for now, on a connection that can be used for the next one. */
const keepsConnection = /^(40|53[12]|55P03|57014)/;

/** Errors of pg that have no code. */
const silent = /^Query read timeout$/;
const unsent = /not queryable$/;
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

/** Whether the connection was already broken, so that the server cannot have received the statement. */
export function wasNeverSent(error: unknown): boolean {
  return error instanceof Error && unsent.test(error.message);
}

/** Whether the connection on which a statement failed must not be used again. */
export function breaksConnection(error: unknown): boolean {
  return isUnavailable(error) && !keepsConnection.test(errorCodeOf(error));
}

/**
 * Whether the other connections to the same server are probably as useless: it is silent, or no longer the
 * primary.
 */
export function breaksPool(error: unknown): boolean {
  return errorCodeOf(error) === '25006' || (error instanceof Error && silent.test(error.message));
}
