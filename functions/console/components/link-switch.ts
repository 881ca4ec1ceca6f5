import { type Content, type Html, html } from '../html.ts';

export type SwitchLink = { readonly href: string; readonly text: Content; readonly isCurrent: boolean };

/** Links to variants of the same page: views, orders, periods. */
export function linkSwitch(label: string, links: readonly SwitchLink[], more?: Content): Html {
  return html`<nav class="switch" aria-label="${label}">${links.map(
    ({ href, text, isCurrent }) =>
      html`<a href="${href}"${isCurrent && html` aria-current="true"`}>${text}</a>`,
  )}${more}</nav>`;
}
