import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { toStorableText } from '../../shared/database/storable-text.ts';
import { readId } from '../../shared/events/event-id.ts';
import type { ReplayDeps } from '../../shared/replay/replay-deps.ts';
import type { ConsoleUser } from '../identity/identify-user.ts';
import type { NodeEnv } from '../serve-app.ts';
import type { Html } from './html.ts';

/** Everything that the console's pages depend on. */
export type ConsoleDeps = ReplayDeps & {
  /** The path of the console, with a trailing slash. */
  readonly base: string;
  /** The name of the environment, which every page shows. */
  readonly environment?: string | undefined;
  /** After so many hours a cause that fails by itself needs review. */
  readonly failingHours?: number;
  /** How long one request reads events for a search, in ms. */
  readonly readMs?: number;
  /** Throws NotAuthorizedError, and ForbiddenError for a caller without a role. */
  readonly identify: (request: IncomingMessage) => ConsoleUser | Promise<ConsoleUser>;
};

/** One request to the console, as pages and actions see it, and the result of the action before it. */
export type PageContext = Notice & {
  /** The path below the console, such as `/events/12`. */
  readonly path: string;
  /** The path of the console, with a trailing slash; links are relative to it. */
  readonly base: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of the form; empty unless the request is a POST. */
  readonly form: URLSearchParams;
  readonly caller: ConsoleUser;
  /** The name of the environment; empty: none. */
  readonly environment: string;
  readonly now: Date;
};

/** One page, without the layout around it. */
export type Page = {
  readonly title: string;
  readonly status?: number | undefined;
  /** Whether the page has its own search field, which replaces the one in the header. */
  readonly hasSearch?: boolean;
  readonly main: Html;
};

/** The page to show instead, and what it shows of the action. */
export type Redirect = Notice & { readonly to: string };

type Result = Page | Redirect | Response;

/** Answers a GET, or a POST of an operator. */
export type Answer = (deps: ConsoleDeps, context: PageContext) => Result | Promise<Result>;

/** The facts of a request beside it: its user, once identified, and its form, once read. */
export type ConsoleEnv = NodeEnv & { readonly Variables: { caller?: ConsoleUser; form?: URLSearchParams } };

/** An unidentified caller sees only the error page. */
const unidentified: ConsoleUser = { name: '', via: 'local', isOperator: false };

/** Reads a request. PostgreSQL rejects a statement for U+0000 in any text. */
export function openPageContext(c: Context<ConsoleEnv>, deps: ConsoleDeps): PageContext {
  const { base, environment = '' } = deps;
  const { pathname: path, searchParams } = new URL(c.req.url);
  const toStorable = (fields: Iterable<[string, string]>) =>
    [...fields].map(([name, value]) => [name, toStorableText(value)] as [string, string]);
  return {
    base,
    environment,
    caller: c.get('caller') ?? unidentified,
    path,
    params: Object.fromEntries(toStorable(Object.entries(c.req.param()))),
    query: new URLSearchParams(toStorable(searchParams)),
    form: new URLSearchParams(toStorable(c.get('form') ?? [])),
    ...readNotice(c),
    now: new Date(),
  };
}

/** The fields that fill a form: as they were sent with a problem, or those in the address. */
export function fieldsOf({ form, query }: Pick<PageContext, 'form' | 'query'>): URLSearchParams {
  return form.size > 0 ? form : query;
}

/** The address of a request, for a link to the same page behind the path of the console. */
export function addressOf({ path, query }: Pick<PageContext, 'path' | 'query'>): string {
  return `${path.replace(/^\/+/, '')}${query.size > 0 ? `?${query}` : ''}`;
}

/** The result of an action, shown once by the next page, and the entry of the audit that undoes it. */
type Notice = { readonly notice?: string | undefined; readonly undo?: string | undefined };

const cookie = 'dlo-notice';

/** Leaves the result of an action to the next page, or removes the one that this page has shown. */
export function leaveNotice(c: Context, { notice, undo = '' }: Notice): void {
  if (notice) setCookie(c, cookie, `${notice}\n${undo}`, { ...optionsOf(c), maxAge: 60 });
  else deleteCookie(c, cookie, optionsOf(c));
}

function readNotice(c: Context): Notice {
  const [notice, undo] = getCookie(c, cookie, optionsOf(c).prefix)?.split('\n') ?? [];
  return { notice: notice || undefined, undo: readId(undo) };
}

/** Browsers accept `__Host-` only over TLS and from this host: no sibling host can plant the cookie. */
function optionsOf(c: Context) {
  const [protocol] = c.req.header('x-forwarded-proto')?.split(',') ?? [];
  const isSecure = protocol === 'https';
  return { httpOnly: true, sameSite: 'Strict', ...(isSecure && { prefix: 'host' as const }) } as const;
}
