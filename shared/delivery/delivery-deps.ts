import type { RetryConfig } from '../config/retry.ts';
import type { Database } from '../database/database.ts';
import type { Route } from './routes.ts';

/** The dependencies of every delivery, scheduled or replayed. */
export type DeliveryDeps = {
  readonly db: Database;
  readonly routes: readonly Route[];
  readonly retry: RetryConfig;
};
