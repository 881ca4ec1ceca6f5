import type { RequestHandler } from 'express';
import { setCookie } from './cookies.ts';
import { formOf } from './read-posted-form.ts';

const year = 31_536_000;

/** `POST /theme {theme, back}`: stores the theme in a cookie and redirects back. */
export function switchTheme(base: string): RequestHandler {
  return (request, response) => {
    const form = formOf(response);
    const value = form.get('theme') === 'dark' ? 'dark' : 'light';
    setCookie(request, response, { name: 'theme', value, seconds: year });
    response.redirect(303, returnPath(base, form.get('back') ?? ''));
  };
}

/** A path within the console for any input: `//host` and its variants would redirect to another site. */
function returnPath(base: string, back: string): string {
  const url = URL.parse(back, `http://console${base}`);
  if (url?.origin !== 'http://console') return base;
  return url.pathname.replace(/^\/+/, '/') + url.search;
}
