import type { IncomingMessage, Server } from 'node:http';
import { NotAuthorizedError } from '../../shared/errors.ts';

/** Accepts callers of this machine, but no page of another origin. Throws NotAuthorizedError. */
export function rejectUnlessLocal(request: IncomingMessage): void {
  if (!isLoopback(request)) throw new NotAuthorizedError('Call this service from its own machine.');
  const { host = '', origin, 'sec-fetch-site': site } = request.headers;
  // DNS rebinding: a foreign page reaches this service by its own host name.
  if (!isThisMachine(host)) throw new NotAuthorizedError('Call this service as localhost.');
  const isForeign =
    (origin !== undefined && !isFromOrigin(origin, host)) ||
    (site !== undefined && !['same-origin', 'none'].includes(site));
  if (isForeign) throw new NotAuthorizedError('A page of another origin may not call this service.');
}

function isLoopback({ socket }: IncomingMessage): boolean {
  // Of the server: the socket of a caller that hung up has no address any more, a Unix socket never has one.
  const { server } = socket as { server?: Server };
  if (typeof server?.address() === 'string') return true;
  return /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '');
}

/** Whether an Origin header is that of the host that a browser called. */
export function isFromOrigin(origin: string | undefined, host: string): boolean {
  return origin !== undefined && URL.parse(origin)?.host === host;
}

/** Whether an Origin header is that of a server on the machine of the browser. */
export function isFromThisMachine(origin: string | undefined): boolean {
  return isThisMachine(URL.parse(origin ?? '')?.host ?? '');
}

function isThisMachine(host: string): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host);
}
