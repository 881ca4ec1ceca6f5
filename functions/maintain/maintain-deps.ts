import type { RetentionConfig } from '../../shared/config/retention.ts';
import type { Database } from '../../shared/database/database.ts';
import type { Route } from '../../shared/delivery/routes.ts';

/** Dependencies of maintain. */
export type MaintainDeps = {
  readonly db: Database;
  readonly routes: readonly Route[];
  readonly retention: RetentionConfig;
};
