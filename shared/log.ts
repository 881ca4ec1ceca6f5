export type Severity = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';

/**
 * Writes one line of JSON in the shape that Cloud Logging reads (`severity`, `message` and any further fields).
 * The message is a sentence for people. Never a payload, a header's value or a secret.
 */
export function log(
  severity: Severity,
  message: string,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  process.stdout.write(`${JSON.stringify({ severity, message, ...fields })}\n`);
}
