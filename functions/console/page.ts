import type { Request } from 'express';
import type { Listen } from '../../shared/database/listen.ts';
import type { ReplayDeps } from '../../shared/replay/replay-deps.ts';
import type { ConsoleUser } from '../identity/identify-user.ts';
import type { Html } from './html.ts';

/** Everything that the console's pages depend on. */
export type ConsoleDeps = ReplayDeps & {
  /** The path of the console, with a trailing slash. */
  readonly base: string;
  /** Subscribes to the database's notifications; undefined where the database sends none. */
  readonly listen?: Listen | undefined;
  /** The name of the environment, which every page shows. */
  readonly environment?: string | undefined;
  /** The Google Cloud project that links lead to. */
  readonly project?: string | undefined;
  /** Identifies the user of a request. Throws NotAuthorizedError, and ForbiddenError for a caller without a role. */
  readonly identify: (request: Request) => ConsoleUser | Promise<ConsoleUser>;
};

/** One request to the console, as pages and actions see it. */
export type PageContext = {
  /** The path below the console, such as `/events/12`. */
  readonly path: string;
  /** The path of the console, with a trailing slash; links are relative to it. */
  readonly base: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of the form; empty unless the request is a POST. */
  readonly form: URLSearchParams;
  readonly caller: ConsoleUser;
  readonly csrf: string;
  /** The result of the preceding action, shown once. */
  readonly notice: string | undefined;
  /** The address of the page that undoes the preceding action. */
  readonly undo: string | undefined;
  /** The name of the environment; empty: none. */
  readonly environment: string;
  /** Whether the page can subscribe to `notifications`. */
  readonly hasNotifications: boolean;
  readonly now: Date;
};

/** One page, without the layout around it. */
export type Page = {
  readonly title: string;
  readonly status?: number;
  /** The tab to highlight. */
  readonly tab?: 'overview' | 'groups' | 'events' | 'runs' | 'targets' | 'activity';
  /** Whether the page has its own search field, which replaces the one in the header. */
  readonly hasSearch?: boolean;
  readonly main: Html;
};

/** The page to show instead, and a notice to show on it once, with the address of the page that undoes the action. */
export type Redirect = { readonly to: string; readonly notice?: string; readonly undo?: string };

/** Answers a GET, or a POST of an operator. */
export type Answer = (deps: ConsoleDeps, context: PageContext) => Page | Redirect | Promise<Page | Redirect>;
