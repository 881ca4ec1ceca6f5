import { errorCodeOf } from './unavailable.ts';

/** Whether a statement failed because another session kept a row locked. */
export function isLocked(error: unknown): boolean {
  return errorCodeOf(error) === '55P03';
}

/**
 * Returns the result of a statement, or `otherwise` if another session keeps a row locked that the statement
 * needs.
 */
export async function unlessLocked<Result, Otherwise>(
  result: Promise<Result>,
  otherwise: Otherwise,
): Promise<Result | Otherwise> {
  try {
    return await result;
  } catch (error) {
    if (isLocked(error)) return otherwise;
    throw error;
  }
}
