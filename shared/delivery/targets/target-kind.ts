import type * as v from 'valibot';
import type { Limit, Outgoing } from './limits.ts';
import type { Outcome } from './outcome.ts';

/** The message of an event for its target, without the body. */
export type Composed = {
  /** The parts of the event that the target does not take. */
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

/** Advice for a target through which a redelivery reaches consumers that did not fail. */
export const dedicatedRoute =
  'Safer: a route to the HTTP endpoint of the consumer that failed, named as "target" of the replay, or a topic of its own with a single subscription.';

/** One kind of target: its configuration and its messages. `targets/target-kinds.ts` lists all kinds. */
export type TargetKind<Schema extends v.GenericSchema> = {
  /** The target in a route's configuration; its `kind` is a literal. */
  readonly schema: Schema;
  /** The name of a target in attempts, breakers, metrics and logs. */
  readonly nameOf: (target: v.InferOutput<Schema>) => string;
  /** Whether the target keeps the events of a key in the order in which they arrive. */
  readonly keepsOrder: boolean;
  /** Composes the message of a delivery; `attempt` counts from 1. */
  readonly compose: (event: Outgoing, target: v.InferOutput<Schema>, attempt: number) => Composed;
  readonly reachOf: (target: v.InferOutput<Schema>) => Promise<Reach>;
};
