import { type Content, type Html, html } from '../html.ts';

type Switch<Name> = {
  readonly current: Name | undefined;
  /** The address of a variant. */
  readonly href: (name: Name) => string;
  /** Shown after the links. */
  readonly more?: Content;
};

/** Links to variants of the same page: views, orders, periods. */
export function linkSwitch<Name extends string>(
  label: string,
  variants: readonly (readonly [name: Name, text: Content])[],
  { current, href, more }: Switch<Name>,
): Html {
  return html`<nav class="switch" aria-label="${label}">${variants.map(
    ([name, text]) =>
      html`<a href="${href(name)}"${name === current && html` aria-current="true"`}>${text}</a>`,
  )}${more}</nav>`;
}

/** Links to the next and the first page of a list; each is omitted without an address. */
export function pager(next: string | false | undefined, first: string | false = false): Html | false {
  if (!next && !first) return false;
  return html`<nav class="pager" aria-label="Pages of the list">${first && html`<a href="${first}">First page</a>`}${next && html`<a href="${next}" rel="next">Next page</a>`}</nav>`;
}
