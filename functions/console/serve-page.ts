import type { RequestHandler, Response } from 'express';
import { ForbiddenError } from '../../shared/errors.ts';
import { setCookie } from './cookies.ts';
import { errorPage } from './error-page.ts';
import { layout } from './layout.ts';
import type { Answer, ConsoleDeps, Page, PageContext } from './page.ts';
import { openPageContext } from './page-context.ts';

/** Imports the code that answers. */
export type Load = () => Promise<Answer>;

/**
 * Answers with a page, a redirect, or an error page. Only operators may POST; their actions redirect, so that a reload
 * repeats nothing.
 */
export function servePage(deps: ConsoleDeps, load: Load): RequestHandler {
  return async (request, response) => {
    const context = openPageContext(request, response, deps);
    const mayAct = request.method !== 'POST' || context.caller.isOperator;
    const result = await (mayAct ? load() : rejectViewer())
      .then((answer) => answer(deps, context))
      .catch((error: unknown) => errorPage(error, context.path));
    if ('main' in result) return sendPage(response, context, result);
    const { notice, undo } = result;
    const value = undo === undefined ? notice : `${notice}\n${undo}`;
    if (value) setCookie(request, response, { name: 'notice', value, seconds: 60 });
    response.redirect(303, deps.base + result.to);
  };
}

async function rejectViewer(): Promise<never> {
  throw new ForbiddenError('You have the viewer role, which is read-only. Ask for the operator role.');
}

/** Renders a page within the layout and sends it. */
export function sendPage(response: Response, context: PageContext, page: Page): void {
  response
    .status(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(String(layout(context, page)));
}
