import { type Html, html } from '../html.ts';

/** Links to the next and the first page of a list; each is omitted without an address. */
export function pager(next: string | false | undefined, first: string | false = false): Html {
  return html`<nav class="pager" aria-label="Pages">${first && html`<a href="${first}">First page</a>`}${next && html`<a href="${next}" rel="next">Next page</a>`}</nav>`;
}
