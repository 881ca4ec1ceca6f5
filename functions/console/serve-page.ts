import type { RequestHandler, Response } from 'express';
import { ForbiddenError } from '../../shared/errors.ts';
import type { ConsoleDeps } from './console-deps.ts';
import { keepCookie } from './cookies.ts';
import { errorPage } from './error-page.ts';
import type { Person } from './identify-person.ts';
import { layout, type Page } from './layout.ts';
import { openVisit, type Visit } from './visit.ts';

/** Where to go after an act, and what to tell there. */
export type Done = { readonly to: string; readonly notice?: string };

export type ShowPage = (deps: ConsoleDeps, visit: Visit) => Page | Promise<Page>;
export type Act = (deps: ConsoleDeps, visit: Visit) => Done | Page | Promise<Done | Page>;

/** Brings the code of a page or an act. */
export type Load<Code> = () => Promise<Code>;

/** Answers a GET with a page, or with the page that says what went wrong. */
export function showing(deps: ConsoleDeps, load: Load<ShowPage>): RequestHandler {
  return async (request, response) => {
    const visit = openVisit(request, response, { deps, caller: callerOf(response) });
    sendPage(response, visit, await attempt(async () => (await load())(deps, visit)));
  };
}

/** Answers a POST: does what it asks for and leads on to a page, so that a reload repeats nothing. Operators only. */
export function acting(deps: ConsoleDeps, load: Load<Act>): RequestHandler {
  return async (request, response) => {
    const visit = openVisit(request, response, { deps, caller: callerOf(response) });
    const done = await attempt(async () =>
      visit.caller.isOperator ? (await load())(deps, visit) : refuse(),
    );
    if ('main' in done) return sendPage(response, visit, done);
    if (done.notice) keepCookie(request, response, { name: 'notice', value: done.notice, seconds: 60 });
    response.redirect(303, deps.base + done.to);
  };
}

export function sendPage(response: Response, visit: Visit, page: Page): void {
  response
    .status(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(String(layout(visit, page)));
}

async function attempt<Result>(work: () => Promise<Result>): Promise<Result | Page> {
  try {
    return await work();
  } catch (error) {
    return errorPage(error);
  }
}

function refuse(): never {
  throw new ForbiddenError('You may look, but not act. Ask for the role of an operator.');
}

/** Set by the router before any page. */
function callerOf(response: Response): Person {
  return response.locals.caller as Person;
}
