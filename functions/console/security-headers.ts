import type { Request, Response } from 'express';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Sets the headers of every response of the console: no inline code, no framing, no caching. The referrer stays within
 * the console, because the address of a page may hold a filter; `no-referrer` would also remove Origin from its forms.
 */
export function setSecurityHeaders(_request: Request, response: Response, next: () => void): void {
  response.set({
    'content-security-policy': policy,
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  });
  next();
}
