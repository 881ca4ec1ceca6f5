import type { RequestHandler, Response } from 'express';
import { ForbiddenError } from '../../shared/errors.ts';
import { keepCookie } from './cookies.ts';
import { errorPage } from './error-page.ts';
import { layout, type Page } from './layout.ts';
import { openVisit, type Person, type Visit } from './visit.ts';

/** Where to go after an act, and what to tell there. */
export type Done = { readonly to: string; readonly notice?: string };

export type ShowPage = (visit: Visit) => Page | Promise<Page>;
export type Act = (visit: Visit) => Done | Page | Promise<Done | Page>;

/** Answers a GET with a page, or with the page that says what went wrong. */
export function showing(base: string, show: ShowPage): RequestHandler {
  return async (request, response) => {
    const visit = openVisit(request, response, { base, caller: callerOf(response) });
    sendPage(response, visit, await attempt(() => show(visit)));
  };
}

/** Answers a POST: does what it asks for and leads on to a page, so that a reload repeats nothing. Operators only. */
export function acting(base: string, act: Act): RequestHandler {
  return async (request, response) => {
    const visit = openVisit(request, response, { base, caller: callerOf(response) });
    const done = await attempt(() => (visit.caller.isOperator ? act(visit) : refuse()));
    if ('main' in done) return sendPage(response, visit, done);
    if (done.notice) keepCookie(request, response, { name: 'notice', value: done.notice, seconds: 60 });
    response.redirect(303, base + done.to);
  };
}

export function sendPage(response: Response, visit: Visit, page: Page): void {
  response
    .status(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(String(layout(visit, page)));
}

async function attempt<Result>(work: () => Result | Promise<Result>): Promise<Result | Page> {
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
