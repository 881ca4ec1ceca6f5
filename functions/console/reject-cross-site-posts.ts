import { timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ForbiddenError } from '../../shared/errors.ts';
import { isFromOrigin, isFromThisMachine } from '../identity/local-caller.ts';
import { readCookie } from './cookies.ts';
import { formOf } from './read-posted-form.ts';

// Protection against cross-site request forgery: a POST must come from a page of this console according to the browser, and
// its form must carry the token of that page.

/** Throws a ForbiddenError for a POST from a page of another origin. */
export const assertSameOrigin: RequestHandler = ({ method, headers }, _response, next) => {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  // `gcloud run services proxy` serves the console on localhost, and calls it by its own host name.
  const isKnown = isFromOrigin(origin, host) || (site === 'same-origin' && isFromThisMachine(origin));
  // Current browsers send Sec-Fetch-Site, older ones Origin alone. A request with neither is rejected.
  const isSame = site === undefined ? isFromOrigin(origin, host) : site === 'same-origin';
  const isRejected = !isSame || (origin !== undefined && !isKnown);
  if (isChanging(method) && isRejected)
    throw new ForbiddenError('This form was not sent from a page of this console.');
  next();
};

/** Throws a ForbiddenError for a form without the token of its page. */
export const assertToken: RequestHandler = (request, response, next) => {
  const expected = Buffer.from(readCookie(request, 'csrf') ?? '');
  const given = Buffer.from(formOf(response).get('csrf') ?? '');
  const isGiven = expected.length > 0 && expected.length === given.length && timingSafeEqual(expected, given);
  if (isChanging(request.method) && !isGiven) {
    throw new ForbiddenError(
      'This form has expired. Nothing was changed: go back, reload and send it again.',
    );
  }
  next();
};

function isChanging(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}
