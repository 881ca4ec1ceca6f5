import type { RequestHandler, Response } from 'express';
import { ForbiddenError } from '../../shared/errors.ts';
import type { ConsoleDeps } from './console-deps.ts';
import { setCookie } from './cookies.ts';
import { errorPage } from './error-page.ts';
import type { ConsoleUser } from './identify-user.ts';
import { layout, type Page } from './layout.ts';
import { openPageContext, type PageContext } from './page-context.ts';

/** The page to show after an action, and the notice to show on it once. */
export type Redirect = { readonly to: string; readonly notice?: string };

export type ShowPage = (deps: ConsoleDeps, context: PageContext) => Page | Promise<Page>;
export type Submit = (deps: ConsoleDeps, context: PageContext) => Redirect | Page | Promise<Redirect | Page>;

/** Imports the code of a page or an action. */
export type Load<Code> = () => Promise<Code>;

/** Answers a GET with a page, or with an error page. */
export function servePage(deps: ConsoleDeps, load: Load<ShowPage>): RequestHandler {
  return async (request, response) => {
    const context = openPageContext(request, response, { deps, caller: callerOf(response) });
    sendPage(response, context, await attempt(async () => (await load())(deps, context)));
  };
}

/** Runs the action of a POST, for operators only, and redirects to a page, so that a reload repeats nothing. */
export function serveAction(deps: ConsoleDeps, load: Load<Submit>): RequestHandler {
  return async (request, response) => {
    const context = openPageContext(request, response, { deps, caller: callerOf(response) });
    const result = await attempt(async () =>
      context.caller.isOperator ? (await load())(deps, context) : rejectViewer(),
    );
    if ('main' in result) return sendPage(response, context, result);
    if (result.notice) setCookie(request, response, { name: 'notice', value: result.notice, seconds: 60 });
    response.redirect(303, deps.base + result.to);
  };
}

/** Renders a page within the layout and sends it. */
export function sendPage(response: Response, context: PageContext, page: Page): void {
  response
    .status(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(String(layout(context, page)));
}

async function attempt<Result>(work: () => Promise<Result>): Promise<Result | Page> {
  try {
    return await work();
  } catch (error) {
    return errorPage(error);
  }
}

function rejectViewer(): never {
  throw new ForbiddenError('You have the viewer role, which is read-only. Ask for the operator role.');
}

/** The router identifies the user before any page. */
function callerOf(response: Response): ConsoleUser {
  return response.locals.caller as ConsoleUser;
}
