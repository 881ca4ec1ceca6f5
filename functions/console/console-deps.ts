import type { Request } from 'express';
import type { Database } from '../../shared/database.ts';
import type { Route } from '../../shared/routes.ts';
import type { Person } from './visit.ts';

/** What the pages are made from. */
export type ConsoleDeps = {
  readonly db: Database;
  readonly routes: readonly Route[];
  /** The most that the planner may expect a question to cost; 0: no limit. */
  readonly costLimit: number;
  /** Where the console is mounted, with a slash at the end. */
  readonly base: string;
  /** Who sends a request. Throws NotAuthorizedError for who may not even look. */
  readonly identify: (request: Request) => Person | Promise<Person>;
};
