import type * as v from 'valibot';
import type { ClaimedEvent, Message } from '../leased-event.ts';
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

/** All that a target needs to know of an event to say what it does not take. */
export type Outgoing = Omit<Message, 'body'> &
  Pick<ClaimedEvent, 'sourceKind' | 'sourceKey' | 'traceId'> & { readonly bodyBytes: number };

/** The message of an event for its target, without the body. */
export type Composed = {
  readonly limits: readonly Limit[];
  /** Sends it with the exact bytes of the event. Never throws: every failure is an outcome. */
  readonly send: (body: Buffer, timeoutSeconds: number) => Promise<Outcome>;
};

/** How many consumers a redelivery reaches. */
export type Reach = {
  /** Subscriptions of a topic; null if they could not be listed. */
  readonly subscriptions?: number | null;
  /** Advice for an operator before a replay. */
  readonly advice?: string;
};

/** For a target through which a redelivery reaches consumers that did not fail. */
export const dedicatedRoute =
  'Safer: a route to the HTTP endpoint of the consumer that failed, named as "target" of the replay, or a topic of its own with a single subscription.';

/** `targets/target-kinds.ts` lists all kinds. */
export type TargetKind<Schema extends v.GenericSchema> = {
  /** The target in a route's configuration; its `kind` is a literal. */
  readonly schema: Schema;
  readonly nameOf: (target: v.InferOutput<Schema>) => string;
  readonly keepsOrder: boolean;
  /** Composes the message of a delivery; `attempt` counts from 1. */
  readonly compose: (event: Outgoing, target: v.InferOutput<Schema>, attempt: number) => Composed;
  readonly reachOf?: (target: v.InferOutput<Schema>) => Promise<Reach>;
};

/** The outcome of a message that cannot be sent to its target, or undefined. */
export function refuse(limits: readonly Limit[]): Outcome | undefined {
  const reasons = limits.filter(({ effect }) => effect === 'not-sent');
  if (reasons.length === 0) return undefined;
  return { kind: 'permanent', isRefused: true, error: `Not sent. ${describeLimits(reasons)}` };
}

/** Statuses by which servers reject headers that are too long; some close the connection instead. */
const rejectsHeaders: readonly (number | undefined)[] = [400, 413, 431, 494, undefined];

/** Adds to an outcome what was omitted or changed, and what may be the cause of a failure. */
export function nameLimits(outcome: Outcome, limits: readonly Limit[]): Outcome {
  const isFailure = outcome.kind !== 'delivered' && rejectsHeaders.includes(outcome.responseStatus);
  const named = limits.filter(({ effect }) => effect !== 'may-fail' || isFailure);
  if (named.length === 0) return outcome;
  const words = describeLimits(named);
  return { ...outcome, error: outcome.error === undefined ? words : `${outcome.error} (${words})` };
}

/** An attempt keeps 500 characters. */
function describeLimits(limits: readonly Limit[]): string {
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
