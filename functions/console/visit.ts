import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { ConsoleDeps } from './console-deps.ts';
import { keepCookie, readCookie } from './cookies.ts';
import type { Person } from './identify-person.ts';

export type Theme = 'light' | 'dark';

/** One request to the console, as pages and acts see it. */
export type Visit = {
  /** Where in the console, such as `/events/12`; links are relative to `base`, which ends with a slash. */
  readonly path: string;
  readonly base: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** What a form sent; empty unless it is a POST. */
  readonly form: URLSearchParams;
  readonly caller: Person;
  readonly csrf: string;
  /** What the person chose; undefined: as the system has it. */
  readonly theme: Theme | undefined;
  /** What the act before this page has to tell, once. */
  readonly notice: string | undefined;
  /** The page hears at once of what happens, at `news`. */
  readonly hasNews: boolean;
  readonly now: Date;
};

/** Gathers what a request says. Gives the browser a token for its forms, and takes back the notice. */
export function openVisit(
  request: Request,
  response: Response,
  { deps, caller }: { readonly deps: ConsoleDeps; readonly caller: Person },
): Visit {
  const url = new URL(request.url, 'http://console');
  const notice = readCookie(request, 'notice');
  if (notice !== undefined) keepCookie(request, response, { name: 'notice', value: '', seconds: 0 });
  return {
    base: deps.base,
    caller,
    path: url.pathname,
    params: Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)])),
    query: url.searchParams,
    form: readForm(request),
    csrf: readCookie(request, 'csrf') || giveToken(request, response),
    theme: readTheme(request),
    notice: notice || undefined,
    hasNews: deps.listen !== undefined,
    now: new Date(),
  };
}

/** The fields of a form that was posted, as they were sent. */
export function readForm(request: Request): URLSearchParams {
  const isForm = request.method === 'POST' && request.is('application/x-www-form-urlencoded');
  const { rawBody } = request as { rawBody?: Buffer };
  return new URLSearchParams(isForm ? rawBody?.toString('utf8') : '');
}

function giveToken(request: Request, response: Response): string {
  const value = randomBytes(24).toString('base64url');
  keepCookie(request, response, { name: 'csrf', value });
  return value;
}

function readTheme(request: Request): Theme | undefined {
  const theme = readCookie(request, 'theme');
  return theme === 'light' || theme === 'dark' ? theme : undefined;
}
