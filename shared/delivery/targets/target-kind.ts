import type * as v from 'valibot';
import type { LeasedEvent } from '../leased-event.ts';
import type { Limit, Outgoing } from './limits.ts';
import type { Outcome } from './outcome.ts';

/** One delivery: an event, its exact bytes, and the target. */
export type Delivery<Target> = {
  readonly event: LeasedEvent;
  readonly body: Buffer;
  readonly target: Target;
  /** Counted from 1. */
  readonly attempt: number;
  readonly timeoutSeconds: number;
};

/** How many consumers a redelivery reaches. */
export type Reach = {
  /** Subscriptions of a topic; null if they could not be listed. */
  readonly subscriptions?: number | null;
  /** Advice for an operator before a replay. */
  readonly advice?: string;
};

/** Advice for a target through which a redelivery reaches consumers that did not fail. */
export const dedicatedRoute =
  'Safer: a route to the HTTP endpoint of the consumer that failed, named as "target" of the replay, or a topic of its own with a single subscription.';

/** One kind of target: its configuration and its delivery. `targets/target-kinds.ts` lists all kinds. */
export type TargetKind<Schema extends v.GenericSchema> = {
  /** The target in a route's configuration; its `kind` is a literal. */
  readonly schema: Schema;
  /** The name of a target in attempts, breakers, metrics and logs. */
  readonly nameOf: (target: v.InferOutput<Schema>) => string;
  /** Whether the target keeps the events of a key in the order in which they arrive. */
  readonly keepsOrder: boolean;
  /** Returns what the target does not take of an event, before it is sent. */
  readonly limitsOf: (message: Outgoing, target: v.InferOutput<Schema>) => readonly Limit[];
  /** Sends one event. Never throws: every failure is an outcome. */
  readonly deliver: (delivery: Delivery<v.InferOutput<Schema>>) => Promise<Outcome>;
  readonly reachOf: (target: v.InferOutput<Schema>) => Promise<Reach>;
};
