import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { NotFoundError } from '../../shared/errors.ts';
import type { Endpoint } from '../endpoint.ts';
import { forbidCaching, serveApp } from '../serve-app.ts';
import { serveAsset } from './assets.ts';
import type { ConsoleDeps } from './page.ts';
import type { ConsoleEnv } from './page-context.ts';
import { pages } from './pages.ts';
import { readForms, rejectCrossSiteForms } from './posted-form.ts';
import { sendError, servePage } from './serve-page.ts';
import { streamNotifications } from './stream-notifications.ts';

/**
 * The server-rendered console; every page and action works without script. Each page is imported by its first
 * request, so that a cold start loads only the page it serves.
 */
export function consolePages(deps: ConsoleDeps): Endpoint {
  const app = new Hono<ConsoleEnv>({ strict: false });
  app.use(secureHeaders(headers), forbidCaching);
  app.get('/assets/:name', serveAsset);
  app.use(async (c, next) => {
    c.set('caller', await deps.identify(c.env.incoming));
    await next();
  });
  app.use(rejectCrossSiteForms, readForms());
  if (deps.listen) app.get('/notifications', streamNotifications(deps.listen));
  for (const [method, path, load] of pages) app[method](path, servePage(deps, load));
  app.notFound((c) => sendError(c, deps, new NotFoundError('Page not found')));
  app.onError((error, c) => sendError(c, deps, error));
  return serveApp(app);
}

/**
 * No inline code, no framing. The referrer stays within the console, because the address of a page may hold a
 * filter; `no-referrer` would also remove Origin from its forms.
 */
const headers = {
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'self'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: 'DENY',
  referrerPolicy: 'same-origin',
};
