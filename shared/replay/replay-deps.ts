import type { DeliveryDeps } from '../delivery/delivery-deps.ts';

/** The dependencies of replays. */
export type ReplayDeps = DeliveryDeps & {
  /** The maximum planner cost of a query for operators; 0: no limit. */
  readonly costLimit: number;
  /** Requests one more worker for a run; undefined without a topic for requests. */
  readonly requestWorker?: ((runId: string) => Promise<void>) | undefined;
};
