import { createHash } from 'node:crypto';
import { findCause } from './find-cause.ts';
import { findFrames } from './find-frames.ts';
import { normalizeMessage } from './normalize-message.ts';

/** What is known of a failure, as dlq_events has it. */
export type Failure = {
  readonly errorClass: string | null;
  readonly errorReason: string | null;
  readonly errorStacktrace: string | null;
  readonly eventType: string;
  /** Who failed: the subscription or the consumer group. */
  readonly consumer: string | null;
};

/** What stands in error_reason where nobody told one. */
export const notReported = 'not reported';

/**
 * Names the reason of a failure: `v1:` and 16 hex digits, the same for all failures of one kind. A kind is the class, the
 * message without what differs from event to event, and the uppermost frames of the stack, of the root cause if one is
 * told. Of a failure without any reason a kind is the event type at its consumer.
 *
 * A change of what is alike is a new version; what was stored can be computed anew from the columns.
 */
export function fingerprint(failure: Failure): string {
  const { errorClass, message, frames } = describe(failure);
  const isTold = errorClass !== '' || message !== '' || frames.length > 0;
  const kind = isTold ? [errorClass, message, frames] : [notReported, failure.eventType, failure.consumer];
  return `v1:${createHash('sha256').update(JSON.stringify(kind)).digest('hex').slice(0, 16)}`;
}

/** The fingerprint of a failure of which only a reason is known, whatever the event. */
export function fingerprintReason(errorReason: string): string {
  return fingerprint({ errorClass: null, errorReason, errorStacktrace: null, eventType: '', consumer: null });
}

/** What a group of such failures is called: class and message, without what belongs to a single event. */
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
