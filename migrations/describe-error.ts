/** What an error says, in one line. A name with several addresses fails once for each of them, and has no message. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message : String(error);
}
