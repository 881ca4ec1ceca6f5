import type { Request, Response } from 'express';

/** Reads a cookie that `keepCookie` wrote, or undefined. */
export function readCookie(request: Request, name: string): string | undefined {
  const found = request.headers.cookie
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${spell(request, name)}=`));
  return found && decode(found.slice(found.indexOf('=') + 1));
}

/** Writes a cookie for the console alone; for this visit to the browser, unless `seconds` are given. */
export function keepCookie(
  request: Request,
  response: Response,
  { name, value, seconds }: { name: string; value: string; seconds?: number },
): void {
  response.cookie(spell(request, name), value, {
    httpOnly: true,
    sameSite: 'strict',
    secure: request.secure,
    path: '/',
    ...(seconds !== undefined && { maxAge: seconds * 1000 }),
  });
}

/** A browser takes `__Host-` from this host and over TLS only, so that no neighbouring host can plant one. */
function spell(request: Request, name: string): string {
  return request.secure ? `__Host-dlo-${name}` : `dlo-${name}`;
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
