import type { RequestHandler } from 'express';
import { keepCookie } from './cookies.ts';
import { readForm } from './visit.ts';

const year = 31_536_000;

/** Keeps the theme that a person chose in their browser, and goes back to where they were. */
export function chooseTheme(base: string): RequestHandler {
  return (request, response) => {
    const form = readForm(request);
    const value = form.get('theme') === 'dark' ? 'dark' : 'light';
    keepCookie(request, response, { name: 'theme', value, seconds: year });
    response.redirect(303, findWayBack(base, form.get('back') ?? ''));
  };
}

/** A place within the console, whatever was sent: `//host` and its disguises would lead out of it. */
function findWayBack(base: string, back: string): string {
  const url = URL.parse(back, `http://console${base}`);
  if (url?.origin !== 'http://console') return base;
  return url.pathname.replace(/^\/+/, '/') + url.search;
}
