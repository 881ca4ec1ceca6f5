import type { Request, Response } from 'express';

/** Reads a cookie that `setCookie` wrote, or undefined. */
export function readCookie(request: Request, name: string): string | undefined {
  const found = request.headers.cookie
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${cookieName(request, name)}=`));
  return found && decode(found.slice(found.indexOf('=') + 1));
}

/** Writes a cookie that only the console receives. It expires after `seconds`, or with the browser session. */
export function setCookie(
  request: Request,
  response: Response,
  { name, value, seconds }: { name: string; value: string; seconds?: number },
): void {
  response.cookie(cookieName(request, name), value, {
    httpOnly: true,
    sameSite: 'strict',
    secure: request.secure,
    path: '/',
    ...(seconds !== undefined && { maxAge: seconds * 1000 }),
  });
}

/** Browsers accept the `__Host-` prefix only over TLS and from this host, so no sibling host can plant the cookie. */
function cookieName(request: Request, name: string): string {
  return request.secure ? `__Host-dlo-${name}` : `dlo-${name}`;
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
