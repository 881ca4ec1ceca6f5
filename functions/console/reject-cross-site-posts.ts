import { timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { ForbiddenError } from '../../shared/errors.ts';
import { readCookie } from './cookies.ts';
import { readForm } from './page-context.ts';

/**
 * Protects against cross-site request forgery: a POST must come from a page of this console according to the browser,
 * and its form must carry the token of that page. Throws a ForbiddenError.
 */
export function rejectCrossSitePosts(request: Request, _response: Response, next: () => void): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') assertSameSite(request);
  next();
}

function assertSameSite(request: Request): void {
  if (!isSameOrigin(request)) throw new ForbiddenError('This form was not sent from a page of this console.');
  if (hasToken(request)) return;
  throw new ForbiddenError('This form has expired. Nothing was changed: go back, reload and send it again.');
}

/** Current browsers send Sec-Fetch-Site, older ones Origin. A request with neither is rejected. */
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
