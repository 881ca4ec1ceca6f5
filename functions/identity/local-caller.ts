import type { IncomingMessage, Server } from 'node:http';
import { NotAuthorizedError } from '../../shared/errors.ts';

/**
 * Lets those in who call over loopback, or over a socket in the file system, on a machine of their own. No page that
 * their browser shows can do it in their name. Throws NotAuthorizedError.
 */
export function refuseUnlessLocal(request: IncomingMessage): void {
  if (!isFromHere(request)) throw new NotAuthorizedError('Only callers on this machine are known here.');
  const { host = '', origin, 'sec-fetch-site': site } = request.headers;
  // A page from elsewhere reaches us by its own name, if that is made to mean this machine.
  if (!/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host)) {
    throw new NotAuthorizedError('Call this service as localhost.');
  }
  const isForeign = site === undefined ? isOther(origin, host) : !['same-origin', 'none'].includes(site);
  if (isForeign) throw new NotAuthorizedError('A page from elsewhere may not call this service.');
}

function isFromHere({ socket }: IncomingMessage): boolean {
  // Asked of the server: who has hung up has no address any more, and a socket in the file system never had one.
  const { server } = socket as { server?: Server };
  if (typeof server?.address() === 'string') return true;
  return /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '');
}

function isOther(origin: string | undefined, host: string): boolean {
  return origin !== undefined && URL.parse(origin)?.host !== host;
}
