import { timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { ForbiddenError } from '../../shared/errors.ts';
import { readCookie } from './cookies.ts';
import { readForm } from './visit.ts';

/**
 * Lets a POST pass only if it comes from a page of this console: the browser says so, and the form carries the token
 * that the page was given. Throws a ForbiddenError.
 */
export function refuseForeignPosts(request: Request, _response: Response, next: () => void): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') refuseUnlessOurs(request);
  next();
}

function refuseUnlessOurs(request: Request): void {
  if (!isSameOrigin(request)) throw new ForbiddenError('This form was not sent from a page of this console.');
  if (hasToken(request)) return;
  throw new ForbiddenError(
    'This form is no longer valid. Nothing was changed: go back, reload, send it again.',
  );
}

/** Sec-Fetch-Site is what browsers say today; Origin is what the others have. Without either nobody vouches for it. */
function isSameOrigin(request: Request): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = request.get('origin');
  return origin !== undefined && URL.parse(origin)?.host === request.get('host');
}

function hasToken(request: Request): boolean {
  const expected = Buffer.from(readCookie(request, 'csrf') ?? '');
  const given = Buffer.from(readForm(request).get('csrf') ?? '');
  return expected.length > 0 && expected.length === given.length && timingSafeEqual(expected, given);
}
