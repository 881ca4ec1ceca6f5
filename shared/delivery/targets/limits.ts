import type { LeasedEvent } from '../leased-event.ts';
import type { Outcome } from './outcome.ts';

/**
 * A part of a message that its target does not take. `not-sent`: the target would reject the message, so that
 * nothing is sent. `omitted`: the message is sent without that part. `changed`: it is sent in another
 * notation. `may-fail`: many servers reject it, this one may not.
 */
export type Limit = {
  readonly effect: 'not-sent' | 'omitted' | 'changed' | 'may-fail';
  /** Such as `attribute tenant`, equal for all messages that have this part. */
  readonly part: string;
  readonly detail: string;
};

/** All that a target needs to know of an event to say what it does not take, with the number of bytes of its body. */
export type Outgoing = Pick<
  LeasedEvent,
  | 'redelivery'
  | 'damaged'
  | 'payloadEncoding'
  | 'contentType'
  | 'headers'
  | 'sourceKind'
  | 'sourceKey'
  | 'sourceKeyBytes'
  | 'traceId'
> & { readonly bodyBytes: number };

/** The outcome of a message that cannot be sent to its target, or undefined. */
export function refuse(limits: readonly Limit[]): Outcome | undefined {
  const reasons = limits.filter(({ effect }) => effect === 'not-sent');
  if (reasons.length === 0) return undefined;
  return { kind: 'permanent', isRefused: true, error: `Not sent. ${describe(reasons)}` };
}

/** Statuses by which servers reject headers that are too long; some close the connection instead. */
const rejectsHeaders: readonly (number | undefined)[] = [400, 413, 431, 494, undefined];

/** Adds to an outcome what was omitted or changed, and what may be the cause of a failure. */
export function nameLimits(outcome: Outcome, limits: readonly Limit[]): Outcome {
  const isFailure = outcome.kind !== 'delivered' && rejectsHeaders.includes(outcome.responseStatus);
  const named = limits.filter(({ effect }) => effect !== 'may-fail' || isFailure);
  if (named.length === 0) return outcome;
  const words = describe(named);
  return { ...outcome, error: outcome.error === undefined ? words : `${outcome.error} (${words})` };
}

/** An attempt keeps 500 characters. */
function describe(limits: readonly Limit[]): string {
  const shown = limits.slice(0, 3).map(({ detail }) => detail);
  const more = limits.length - shown.length;
  return [...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}

/** A name of a header or attribute, short enough for a sentence. */
export function shorten(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}...` : name;
}

/** A number of bytes with the unit, such as `3,632 bytes`. */
export function countBytes(bytes: number): string {
  return `${bytes.toLocaleString('en')} bytes`;
}
