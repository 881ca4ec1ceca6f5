import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { readCookie, setCookie } from './cookies.ts';
import type { ConsoleUser } from './identify-user.ts';
import type { ConsoleDeps, PageContext } from './page.ts';

/** An unidentified caller sees only the error page. */
const unidentified: ConsoleUser = { name: 'Not signed in', via: 'local', isOperator: false };

/** Reads a request. Issues a form token to a browser without one, and clears the notice, which is shown once. */
export function openPageContext(
  request: Request,
  response: Response,
  { base, listen }: ConsoleDeps,
): PageContext {
  const url = new URL(request.url, 'http://console');
  const notice = readCookie(request, 'notice');
  if (notice !== undefined) setCookie(request, response, { name: 'notice', value: '', seconds: 0 });
  return {
    base,
    caller: (response.locals.caller as ConsoleUser | undefined) ?? unidentified,
    path: url.pathname,
    params: Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)])),
    query: url.searchParams,
    form: readForm(request),
    csrf: readCookie(request, 'csrf') || issueToken(request, response),
    notice: notice || undefined,
    hasNotifications: listen !== undefined,
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
