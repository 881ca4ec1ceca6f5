import type { RetryConfig } from '../config/retry.ts';
import type { Database } from '../database/database.ts';
import type { Route } from './routes.ts';

/**
 * From `stopping` on no event is claimed and no delivery begins; at `ending` the deliveries in flight are
 * given up, so that their outcomes can still be recorded.
 */
export type Shutdown = { readonly stopping: AbortSignal; readonly ending: AbortSignal };

/** In ms: a statement may wait 5 s for a lock; a worker that waits longer keeps events of others waiting. */
export const workerDeadlineMs = 8000;

export type DeliveryDeps = {
  readonly db: Database;
  readonly routes: readonly Route[];
  readonly retry: RetryConfig<'retry'>;
  readonly shutdown?: Shutdown;
};
