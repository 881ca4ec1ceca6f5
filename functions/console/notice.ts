import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

/** The result of an action, shown once by the next page, and the page that undoes the action. */
export type Notice = { readonly notice?: string | undefined; readonly undo?: string | undefined };

const cookie = 'dlo-notice';

/** Leaves the result of an action to the next page. */
export function leaveNotice(c: Context, { notice, undo = '' }: Notice): void {
  if (notice) setCookie(c, cookie, `${notice}\n${undo}`, { ...optionsOf(c), maxAge: 60 });
}

/** Reads the result that the action before has left. */
export function readNotice(c: Context): Notice {
  const [notice, undo] = getCookie(c, cookie, optionsOf(c).prefix)?.split('\n') ?? [];
  return { notice: notice || undefined, undo: undo?.startsWith('activity/') ? undo : undefined };
}

/** Removes the result that a page has shown. */
export function clearNotice(c: Context): void {
  deleteCookie(c, cookie, optionsOf(c));
}

/** Browsers accept `__Host-` only over TLS and from this host: no sibling host can plant the cookie. */
function optionsOf(c: Context) {
  const [protocol] = c.req.header('x-forwarded-proto')?.split(',') ?? [];
  const isSecure = protocol?.trim() === 'https';
  return { httpOnly: true, sameSite: 'Strict', ...(isSecure && { prefix: 'host' as const }) } as const;
}
