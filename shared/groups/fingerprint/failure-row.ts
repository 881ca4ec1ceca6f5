import type { Failure } from './fingerprint.ts';

/** The columns of an event from which its fingerprint is computed, as statements return them. */
export type FailureRow = {
  readonly eventType: string;
  readonly consumer: string | null;
  readonly errorClass: string | null;
  readonly errorReason: string | null;
  readonly errorStacktrace: string | null;
};

/** Returns the failure of a row. */
export function toFailure(row: FailureRow): Failure {
  return {
    eventType: row.eventType,
    consumer: row.consumer,
    errorClass: row.errorClass,
    errorReason: row.errorReason,
    errorStacktrace: row.errorStacktrace,
  };
}
