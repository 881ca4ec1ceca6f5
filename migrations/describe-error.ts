/**
 * Returns the message of an error in one line. A host with several addresses fails with one error for each
 * and no message.
 */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message : String(error);
}
