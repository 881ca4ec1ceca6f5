import type { Request } from 'express';
import type { Listen } from '../../shared/database/database.ts';
import type { ReplayDeps } from '../../shared/replay/replay-deps.ts';
import type { ConsoleUser } from './identify-user.ts';

/** Everything that the console's pages depend on. */
export type ConsoleDeps = ReplayDeps & {
  /** The path of the console, with a trailing slash. */
  readonly base: string;
  /** Subscribes to the database's notifications; undefined where the database sends none. */
  readonly listen?: Listen | undefined;
  /** Identifies the user of a request. Throws NotAuthorizedError, and ForbiddenError for a caller without a role. */
  readonly identify: (request: Request) => ConsoleUser | Promise<ConsoleUser>;
};
