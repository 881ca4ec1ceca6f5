import { type Context, type Handler, Hono, type MiddlewareHandler } from 'hono';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { operatorPath } from '../../shared/config/console.ts';
import { ForbiddenError, InputError, NotFoundError, UnsupportedMediaTypeError } from '../../shared/errors.ts';
import { type Endpoint, retryAfter } from '../endpoint.ts';
import { assertOperator } from '../identity/identify-user.ts';
import { isFromOrigin, isFromThisMachine } from '../identity/local-caller.ts';
import { openBodyReader } from '../read-body.ts';
import { forbidCaching, serveApp } from '../serve-app.ts';
import { html } from './html.ts';
import { describeRejection, errorPage, layout, serveAsset } from './layout.ts';
import {
  type ConsoleDeps,
  type ConsoleEnv,
  leaveNotice,
  openPageContext,
  type Page,
  type PageContext,
} from './page.ts';
import { type Load, pages } from './pages.ts';

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
  for (const [method, path, load] of pages) {
    const form = pages.find(([of, at]) => of === 'get' && at === path)?.[2];
    app[method](path, method === 'get' ? servePage(deps, load) : servePage(deps, submit(load, form)));
  }
  app.notFound((c) => sendError(c, deps, new NotFoundError('Page not found')));
  app.onError((error, c) => sendError(c, deps, error));
  return serveApp(app);
}

/**
 * Serves `operatorPages` below `operator/` and `pages` elsewhere. Identity-Aware Proxy checks the path of a
 * request as it arrives and in its normalized form, so this looks at it as it arrived, too:
 * https://docs.cloud.google.com/chrome-enterprise-premium/docs/hostname-and-path-conditions
 */
export function serveByRole(pages: Endpoint, operatorPages: Endpoint): Endpoint {
  const prefix = `/${operatorPath}`;
  return (request, response) => {
    const { url = '' } = request;
    if (!url.startsWith(prefix)) return pages(request, response);
    request.url = url.slice(prefix.length - 1);
    return operatorPages(request, response);
  };
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

/** An edited message: up to 256 KiB of payload with its indentation, percent-encoded, and its headers. */
const maxBytes = 4 * 2 ** 20;

/** Rejects a form that was not sent from a page of this console according to the browser. */
const rejectCrossSiteForms: MiddlewareHandler<ConsoleEnv> = csrf({
  // The origin is compared, too: a proxy may serve the console under a name that a page has rebound.
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
function readForms(): MiddlewareHandler<ConsoleEnv> {
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

/** Runs an action of an operator. What is wrong with its form is said on the page that has it. */
function submit(load: Load, form: Load | undefined): Load {
  return async () => async (deps, context) => {
    assertOperator(context.caller);
    try {
      return await (await load())(deps, context);
    } catch (error) {
      if (!form) throw error;
      const rejection = describeRejection(error);
      const page = await (await form())(deps, context);
      const status = error instanceof InputError ? 400 : 409;
      return 'main' in page ? { ...page, status, main: html`${rejection}${page.main}` } : page;
    }
  };
}

/** Answers with a page, a file or a redirect, which a reload does not repeat. */
function servePage(deps: ConsoleDeps, load: Load): Handler<ConsoleEnv> {
  return async (c) => {
    const context = openPageContext(c, deps);
    const result = await (await load())(deps, context);
    if (result instanceof Response) return result;
    if ('main' in result) return sendPage(c, context, result);
    if (result.notice) leaveNotice(c, result);
    // Encodes what a header must not contain. Two slashes would begin the name of another host.
    const { pathname, search, hash } = new URL(deps.base + result.to, c.req.url);
    return c.redirect(pathname.replace(/^\/+/, '/') + search + hash, 303);
  };
}

function sendError(c: Context<ConsoleEnv>, deps: ConsoleDeps, error: unknown): Response {
  const context = openPageContext(c, deps);
  // Only the middleware against cross-site forms throws it.
  const isForged = error instanceof HTTPException;
  const known = isForged ? new ForbiddenError('This form was not sent from a page of this console.') : error;
  return sendPage(c, context, errorPage(known, context.path));
}

function sendPage(c: Context<ConsoleEnv>, context: PageContext, page: Page): Response {
  // A page that refreshes itself shows no result.
  if (context.notice && c.req.header('sec-fetch-dest') !== 'empty') leaveNotice(c, {});
  if (page.status === 503) c.header('retry-after', retryAfter);
  // Shown again by itself until the database answers; what a form sent is not sent again.
  if (page.status === 503 && c.req.method === 'GET') c.header('refresh', '15');
  return c.html(String(layout(context, page)), (page.status ?? 200) as ContentfulStatusCode);
}
