import { createHash } from 'node:crypto';
import { findCause } from './find-cause.ts';
import { findFrames } from './find-frames.ts';
import { normalizeMessage } from './normalize-message.ts';

/** A failure, from the columns of dlq_events. */
export type Failure = {
  readonly errorClass: string | null;
  readonly errorReason: string | null;
  readonly errorStacktrace: string | null;
  readonly eventType: string;
  /** The subscription or consumer group that failed. */
  readonly consumer: string | null;
};

/** The error_reason of an event whose sender reported none. */
export const notReported = 'not reported';

/**
 * Returns the fingerprint of a failure: `v1:` and 16 hex digits, equal for all failures with the same class, normalized
 * message and topmost stack frames, those of the root cause if the stack names one. A failure without any of them has the
 * fingerprint of its event type and consumer.
 *
 * A change of these rules is a new version; stored fingerprints can be computed again from the columns.
 */
export function fingerprint(failure: Failure): string {
  const { errorClass, message, frames } = describe(failure);
  const isReported = errorClass !== '' || message !== '' || frames.length > 0;
  const kind = isReported
    ? [errorClass, message, frames]
    : [notReported, failure.eventType, failure.consumer];
  return `v1:${createHash('sha256').update(JSON.stringify(kind)).digest('hex').slice(0, 16)}`;
}

/** Returns the fingerprint of a failure of which only the reason is known. */
export function fingerprintReason(errorReason: string): string {
  return fingerprint({ errorClass: null, errorReason, errorStacktrace: null, eventType: '', consumer: null });
}

/** Returns the title of an error group: class and message, without the values of a single event. */
export function titleFailure(failure: Failure): string {
  const { errorClass, message, frames } = describe(failure);
  const title = [errorClass, message].filter((part) => part !== '').join(': ') || frames[0];
  if (title !== undefined) return title;
  return `${notReported}: ${failure.eventType}${failure.consumer === null ? '' : ` at ${failure.consumer}`}`;
}

function describe({ errorClass, errorReason, errorStacktrace }: Failure) {
  const reason = errorReason === null || errorReason === notReported ? '' : errorReason;
  const cause = findCause({ errorClass: errorClass ?? '', message: reason, stack: errorStacktrace ?? '' });
  return {
    errorClass: cause.errorClass,
    message: normalizeMessage(cause.message),
    frames: findFrames(cause.stack),
  };
}
