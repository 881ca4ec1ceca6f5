import { type Content, type Html, html } from '../html.ts';

export type SwitchLink = { readonly href: string; readonly text: Content; readonly isCurrent: boolean };

/** Links to variants of the same page: views, orders, periods. */
export function linkSwitch(label: string, links: readonly SwitchLink[], more?: Content): Html {
  return html`<nav class="switch" aria-label="${label}">${links.map(
    ({ href, text, isCurrent }) =>
      html`<a href="${href}"${isCurrent && html` aria-current="true"`}>${text}</a>`,
  )}${more}</nav>`;
}

/** Links to the next and the first page of a list; each is omitted without an address. */
export function pager(next: string | false | undefined, first: string | false = false): Html {
  return html`<nav class="pager" aria-label="Pages">${first && html`<a href="${first}">First page</a>`}${next && html`<a href="${next}" rel="next">Next page</a>`}</nav>`;
}
