import type { Database } from '../../shared/database.ts';
import type { RetentionConfig } from '../../shared/retention-config.ts';
import type { Route } from '../../shared/routes.ts';

/** What maintain works with. */
export type MaintainDeps = {
  readonly db: Database;
  readonly routes: readonly Route[];
  readonly retention: RetentionConfig;
};
