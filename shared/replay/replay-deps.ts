import type { DeliveryDeps } from '../delivery/delivery-deps.ts';

/** The dependencies of replays. */
export type ReplayDeps = DeliveryDeps & {
  /** The maximum planner cost of a query for operators; 0: no limit. */
  readonly costLimit: number;
  /** Paths that are masked in all events, beside those of their routes. */
  readonly masks?: readonly string[];
};
