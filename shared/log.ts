import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

export type Severity = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';

export type LogFields = Readonly<Record<string, unknown>> & {
  /** The action, in a word: lines are found by it. */
  readonly action?: string;
  /** The trace id of the event that the line is about. */
  readonly traceId?: string | null;
  /** Lines of one run belong together. */
  readonly runId?: string | null;
};

/** An entry as Cloud Logging reads it: `fields` are further properties. */
export type LogEntry = Readonly<Record<string, unknown>> & {
  readonly severity: Severity;
  readonly message: string;
};

let sink = (entry: LogEntry): void => {
  process.stdout.write(`${JSON.stringify(entry)}\n`);
};

const executions = new AsyncLocalStorage<{ id: string | undefined }>();

/** Runs `work` as an execution, by which Cloud Logging groups lines; without an id, the first makes one. */
export function inExecution<Result>(id: string | undefined, work: () => Result): Result {
  return executions.run({ id }, work);
}

/** Passes all later entries of this process to `replacement` instead of stdout. */
export function setLogSink(replacement: (entry: LogEntry) => void): void {
  sink = replacement;
}

/**
 * Writes one line of JSON in the shape that Cloud Logging reads: severity, message, labels, operation and
 * trace, and any further fields
 * (https://cloud.google.com/logging/docs/structured-logging#structured_logging_special_fields). The message
 * is a sentence for people. Never a payload, a header's value, an answer of a target or a secret.
 */
export function log(severity: Severity, message: string, fields: LogFields = {}): void {
  sink({ severity, message, ...fields, ...describeContext(fields) });
}

/** A trace is found beside its spans only under the name of its project, which the environment may tell. */
function describeContext({ action, traceId, runId }: LogFields): Record<string, unknown> {
  const { GOOGLE_CLOUD_PROJECT: project, K_SERVICE: service = 'dead-letter-office' } = process.env;
  const execution = executions.getStore();
  // Made here: most requests log nothing.
  if (execution) execution.id ??= randomUUID();
  const id = execution?.id;
  const labels = { ...(action && { action }), ...(id && { execution_id: id }) };
  return {
    ...((action || id) && { 'logging.googleapis.com/labels': labels }),
    ...(runId && { 'logging.googleapis.com/operation': { id: `run-${runId}`, producer: service } }),
    ...(traceId && {
      'logging.googleapis.com/trace': project ? `projects/${project}/traces/${traceId}` : traceId,
    }),
  };
}
