import { hash } from 'node:crypto';
import { findCauses, type Thrown } from './find-causes.ts';
import { findFrames, findOwnFrame } from './find-frames.ts';
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

/** The version of the rules, with which fingerprints begin. */
export const version = 'v3:';

/** The error_reason of an event whose sender reported none. */
export const notReported = 'not reported';

/**
 * Returns the fingerprint of a failure: `v3:` and 16 hex digits, equal for all failures with the same class
 * and normalized message, and the same class, normalized message and topmost stack frames of the root cause,
 * if the stack names one. A failure without any of them has the fingerprint of its event type and consumer.
 *
 * A change of these rules is a new version, whose migration empties the column: it is filled again.
 */
export function fingerprint(failure: Failure): string {
  const { eventType, consumer, errorClass, errorReason, errorStacktrace } = failure;
  const name = JSON.stringify([eventType, consumer, errorClass, errorReason, errorStacktrace]);
  const found = known.get(name);
  if (found !== undefined) return found;
  const computed = compute(failure);
  if (name.length <= maxNameLength) {
    if (known.size === maxKnown) known.clear();
    known.set(name, computed);
  }
  return computed;
}

/**
 * Fingerprints of failures by their facts: many events fail with the very same words, and a fingerprint takes
 * 20 µs and more.
 */
const known = new Map<string, string>();
const maxKnown = 250;
const maxNameLength = 8192;

function compute(failure: Failure): string {
  const errors = readErrors(failure);
  const [outermost] = errors;
  const root = errors.at(-1) ?? outermost;
  const frames = findFrames(root.stack);
  const isReported = outermost.errorClass !== '' || outermost.message !== '' || frames.length > 0;
  const kind = isReported
    ? [...new Set([outermost, root])].map(({ errorClass, message }) => [
        errorClass,
        normalizeMessage(message),
      ])
    : [[notReported, failure.eventType, failure.consumer]];
  return `${version}${hash('sha256', JSON.stringify([...kind, frames])).slice(0, 16)}`;
}

/** Returns the fingerprint of a failure of which only the reason is known. */
export function fingerprintReason(errorReason: string): string {
  return fingerprint({ errorClass: null, errorReason, errorStacktrace: null, eventType: '', consumer: null });
}

/** How an error group is named. */
export type Naming = {
  /** Class and message of the outermost error, in the words of one event. */
  readonly title: string;
  /** Class and message of each cause, the root cause last. */
  readonly causes: readonly string[];
  /** The topmost frame of the application, of the root cause if it has one. Null without a stack trace. */
  readonly frame: string | null;
};

/** Characters kept of a title. */
const maxTitle = 300;

/** Names the error group of a failure. */
export function nameFailure(failure: Failure): Naming {
  const [outermost, ...causes] = readErrors(failure);
  const frames = [...causes.toReversed(), outermost].map(({ stack }) => findOwnFrame(stack));
  const frame = frames.find((found) => found !== undefined) ?? null;
  const { eventType, consumer } = failure;
  const origin = [eventType, ...(consumer === null ? [] : [`at ${consumer}`])].filter(Boolean).join(' ');
  const unknown = ['No reason given', origin].filter(Boolean).join(': ');
  const title = print(outermost) || findFrames(outermost.stack)[0] || unknown;
  return { title: title.slice(0, maxTitle), causes: causes.map(print), frame };
}

function print({ errorClass, message }: Thrown): string {
  return [errorClass, message]
    .filter((part) => part.trim() !== '')
    .join(': ')
    .slice(0, maxTitle);
}

function readErrors({ errorClass, errorReason, errorStacktrace }: Failure): readonly [Thrown, ...Thrown[]] {
  const reason = errorReason === null || errorReason === notReported ? '' : errorReason;
  return findCauses({ errorClass: errorClass ?? '', message: reason, stack: errorStacktrace ?? '' });
}
