import { DatabaseUnavailableError } from '../shared/errors.ts';

/**
 * Returns the message of an error; of a host with several addresses, those of all its errors; of a database that
 * is unavailable, why.
 */
export function describeError(error: unknown): string {
  if (error instanceof DatabaseUnavailableError) return error.condition ?? describeError(error.cause);
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message : String(error);
}
