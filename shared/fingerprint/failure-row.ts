import type { Failure } from './fingerprint.ts';

/** The columns of an event that its fingerprint is taken of, as statements return them. */
export type FailureRow = {
  readonly event_type: string;
  readonly consumer: string | null;
  readonly error_class: string | null;
  readonly error_reason: string | null;
  readonly error_stacktrace: string | null;
};

export function toFailure(row: FailureRow): Failure {
  return {
    eventType: row.event_type,
    consumer: row.consumer,
    errorClass: row.error_class,
    errorReason: row.error_reason,
    errorStacktrace: row.error_stacktrace,
  };
}
