import type { MiddlewareHandler } from 'hono';
import { csrf } from 'hono/csrf';
import { UnsupportedMediaTypeError } from '../../shared/errors.ts';
import { isFromOrigin, isFromThisMachine } from '../identity/local-caller.ts';
import { openBodyReader } from '../read-body.ts';
import type { ConsoleEnv } from './page-context.ts';

/** An edited message: up to 256 KiB of payload with its indentation, percent-encoded, and its headers. */
const maxBytes = 4 * 2 ** 20;

/** Rejects a form that was not sent from a page of this console according to the browser. */
export const rejectCrossSiteForms: MiddlewareHandler<ConsoleEnv> = csrf({
  // The origin is compared, too: a proxy may serve the console under another name to a page that rebound its own.
  secFetchSite: (site, { req }) => {
    const origin = req.header('origin');
    // `gcloud run services proxy` serves the console on localhost, and calls it by its own host name.
    const isKnown = isFromOrigin(origin, req.header('host') ?? '') || isFromThisMachine(origin);
    return site === 'same-origin' && (origin === undefined || isKnown);
  },
  // Older browsers send Origin alone.
  origin: (origin, { req }) =>
    req.header('sec-fetch-site') === undefined && isFromOrigin(origin, req.header('host') ?? ''),
});

/** Reads the form of each POST. Throws UnsupportedMediaTypeError, TooLargeError and OverloadedError. */
export function readForms(): MiddlewareHandler<ConsoleEnv> {
  const readBody = openBodyReader(maxBytes);
  return async (c, next) => {
    if (c.req.method === 'POST') {
      const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header('content-type') ?? '');
      if (!isForm) throw new UnsupportedMediaTypeError('Send a form: application/x-www-form-urlencoded.');
      const { bytes } = await readBody(c.env.incoming, c.env.outgoing);
      c.set('form', new URLSearchParams(bytes.toString('utf8')));
    }
    await next();
  };
}
