import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { toStorableText } from '../../shared/database/storable-text.ts';
import type { ConsoleUser } from '../identity/identify-user.ts';
import { readTarget } from '../request-target.ts';
import { readCookie, setCookie } from './cookies.ts';
import type { ConsoleDeps, PageContext } from './page.ts';
import { formOf } from './read-posted-form.ts';

/** An unidentified caller sees only the error page. */
const unidentified: ConsoleUser = { name: '', via: 'local', isOperator: false };

/** Reads a request. Issues a form token to a browser without one, and clears the notice, which is shown once. */
export function openPageContext(
  request: Request,
  response: Response,
  { base, listen, environment = '' }: ConsoleDeps,
): PageContext {
  const { path, query } = readTarget(request.url);
  const shown = readCookie(request, 'notice');
  const [notice, undo] = shown?.split('\n') ?? [];
  if (shown !== undefined) setCookie(request, response, { name: 'notice', value: '', seconds: 0 });
  return {
    base,
    environment,
    caller: (response.locals.caller as ConsoleUser | undefined) ?? unidentified,
    path,
    params: Object.fromEntries(
      toStorable(Object.entries(request.params).map(([name, value]) => [name, String(value)])),
    ),
    query: new URLSearchParams(toStorable([...query])),
    form: formOf(response),
    csrf: readCookie(request, 'csrf') || issueToken(request, response),
    notice: notice || undefined,
    undo: undo?.startsWith('events/') ? undo : undefined,
    hasNotifications: listen !== undefined,
    now: new Date(),
  };
}

/** PostgreSQL rejects a statement for U+0000 in any text. */
function toStorable(fields: readonly [name: string, value: string][]): [name: string, value: string][] {
  return fields.map(([name, value]) => [name, toStorableText(value)]);
}

function issueToken(request: Request, response: Response): string {
  const value = randomBytes(24).toString('base64url');
  setCookie(request, response, { name: 'csrf', value });
  return value;
}
