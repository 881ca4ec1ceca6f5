import type { Context, Handler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { ForbiddenError } from '../../shared/errors.ts';
import { retryAfter } from '../endpoint.ts';
import { assertOperator } from '../identity/identify-user.ts';
import { errorPage } from './error-page.ts';
import { layout } from './layout.ts';
import { clearNotice, leaveNotice } from './notice.ts';
import type { ConsoleDeps, Page, PageContext } from './page.ts';
import { type ConsoleEnv, openPageContext } from './page-context.ts';
import type { Load } from './pages.ts';

/** Answers with a page, a file or a redirect, which a reload does not repeat. Only operators may POST. */
export function servePage(deps: ConsoleDeps, load: Load): Handler<ConsoleEnv> {
  return async (c) => {
    const context = openPageContext(c, deps);
    if (c.req.method === 'POST') assertOperator(context.caller);
    const answer = await load();
    const result = await answer(deps, context);
    if (result instanceof Response) return result;
    if ('main' in result) return sendPage(c, context, result);
    leaveNotice(c, result);
    // Encodes what a header must not contain.
    const { pathname, search, hash } = new URL(deps.base + result.to, c.req.url);
    return c.redirect(pathname + search + hash, 303);
  };
}

/** Answers with the page of an error. */
export function sendError(c: Context<ConsoleEnv>, deps: ConsoleDeps, error: unknown): Response {
  const context = openPageContext(c, deps);
  // Only the middleware against cross-site forms throws it.
  const isForged = error instanceof HTTPException;
  const known = isForged ? new ForbiddenError('This form was not sent from a page of this console.') : error;
  return sendPage(c, context, errorPage(known, context.path));
}

function sendPage(c: Context<ConsoleEnv>, context: PageContext, page: Page): Response {
  if (context.notice) clearNotice(c);
  if (page.status === 503) c.header('retry-after', retryAfter);
  return c.html(String(layout(context, page)), (page.status ?? 200) as ContentfulStatusCode);
}
