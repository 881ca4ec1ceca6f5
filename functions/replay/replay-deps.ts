import type { DeliveryDeps } from '../../shared/deliver-batch.ts';
import type { Identify } from '../identity/identify-caller.ts';

/** What the replay function is made from. */
export type ReplayDeps = DeliveryDeps & {
  readonly identify: Identify;
  /** The most that the planner may expect a question to cost; 0: no limit. */
  readonly costLimit: number;
  /** Asks for a worker for a run, where there is a way to. */
  readonly callWorker?: ((runId: string) => Promise<void>) | undefined;
};
