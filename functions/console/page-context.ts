import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { ConsoleDeps } from './console-deps.ts';
import { readCookie, setCookie } from './cookies.ts';
import type { ConsoleUser } from './identify-user.ts';

export type Theme = 'light' | 'dark';

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
  /** The theme the user chose; undefined follows the system. */
  readonly theme: Theme | undefined;
  /** The result of the preceding action, shown once. */
  readonly notice: string | undefined;
  /** Whether the page can subscribe to `notifications`. */
  readonly hasNotifications: boolean;
  readonly now: Date;
};

/** Reads a request. Issues a form token to a browser without one, and clears the notice, which is shown once. */
export function openPageContext(
  request: Request,
  response: Response,
  { deps, caller }: { readonly deps: ConsoleDeps; readonly caller: ConsoleUser },
): PageContext {
  const url = new URL(request.url, 'http://console');
  const notice = readCookie(request, 'notice');
  if (notice !== undefined) setCookie(request, response, { name: 'notice', value: '', seconds: 0 });
  return {
    base: deps.base,
    caller,
    path: url.pathname,
    params: Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)])),
    query: url.searchParams,
    form: readForm(request),
    csrf: readCookie(request, 'csrf') || issueToken(request, response),
    theme: readTheme(request),
    notice: notice || undefined,
    hasNotifications: deps.listen !== undefined,
    now: new Date(),
  };
}

/** The fields of a posted form; empty for any other request. */
export function readForm(request: Request): URLSearchParams {
  const isForm = request.method === 'POST' && request.is('application/x-www-form-urlencoded');
  const { rawBody } = request as { rawBody?: Buffer };
  return new URLSearchParams(isForm ? rawBody?.toString('utf8') : '');
}

function issueToken(request: Request, response: Response): string {
  const value = randomBytes(24).toString('base64url');
  setCookie(request, response, { name: 'csrf', value });
  return value;
}

function readTheme(request: Request): Theme | undefined {
  const theme = readCookie(request, 'theme');
  return theme === 'light' || theme === 'dark' ? theme : undefined;
}
