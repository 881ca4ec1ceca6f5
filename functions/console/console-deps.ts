import type { Request } from 'express';
import type { Listen } from '../../shared/database.ts';
import type { ReplayDeps } from '../replay/replay-deps.ts';
import type { Person } from './identify-person.ts';

/** What the pages are made from. */
export type ConsoleDeps = Omit<ReplayDeps, 'identify'> & {
  /** Where the console is mounted, with a slash at the end. */
  readonly base: string;
  /** Hears at once what happens, where the database tells (NOTIFY). */
  readonly listen?: Listen | undefined;
  /** Who sends a request. Throws NotAuthorizedError for who may not even look. */
  readonly identify: (request: Request) => Person | Promise<Person>;
};
