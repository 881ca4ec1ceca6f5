import type { RetryConfig } from '../config/retry.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';

/** The dependencies of what operators do, in the console or by the API. */
export type ReplayDeps = Pick<DeliveryDeps, 'db' | 'routes'> & {
  readonly retry: RetryConfig<'replay' | 'console'>;
  /** The maximum planner cost of a query for operators; 0: no limit. */
  readonly costLimit: number;
  /** Paths that are masked in all events, beside those of their routes. */
  readonly masks?: readonly string[];
};
