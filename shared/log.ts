export type Severity = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';

export type LogFields = Readonly<Record<string, unknown>> & {
  /** What was done, in a word: lines are found by it. */
  readonly act?: string;
  /** The trace id of the event that the line is about. */
  readonly traceId?: string | null;
  /** Lines of one run belong together. */
  readonly runId?: string | null;
};

/**
 * Writes one line of JSON in the shape that Cloud Logging reads: severity, message, labels, operation and trace, and any
 * further fields (https://cloud.google.com/logging/docs/structured-logging#structured_logging_special_fields). The
 * message is a sentence for people. Never a payload, a header's value, an answer of a target or a secret.
 */
export function log(severity: Severity, message: string, fields: LogFields = {}): void {
  process.stdout.write(`${JSON.stringify({ severity, message, ...fields, ...describeContext(fields) })}\n`);
}

/** A trace is found beside its spans only under the name of its project, which the environment may tell. */
function describeContext({ act, traceId, runId }: LogFields): Record<string, unknown> {
  const { GOOGLE_CLOUD_PROJECT: project, K_SERVICE: service = 'dead-letter-office' } = process.env;
  return {
    ...(act && { 'logging.googleapis.com/labels': { act } }),
    ...(runId && { 'logging.googleapis.com/operation': { id: `run-${runId}`, producer: service } }),
    ...(traceId && {
      'logging.googleapis.com/trace': project ? `projects/${project}/traces/${traceId}` : traceId,
    }),
  };
}
