import { type Content, type Html, html } from '../html.ts';
import { icon } from './icon.ts';

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
  const links = variants.map(
    ([name, text]) =>
      html`<a href="${href(name)}"${name === current && html` aria-current="true"`}>${text}</a>`,
  );
  return html`<nav class="switch" aria-label="${label}">${links}${more}</nav>`;
}

/** Links to the next and the first page of a list; each is omitted without an address. */
export function pager(next: string | false | undefined, first: string | false = false): Html | false {
  if (!next && !first) return false;
  return html`<nav class="pager" aria-label="Pages of the list">${first && html`<a href="${first}">First page</a>`}${next && html`<a href="${next}" rel="next">Next page</a>`}</nav>`;
}

/** The page of an error group. */
export function groupPath(fingerprint: string): string {
  return `groups/${encodeURIComponent(fingerprint)}`;
}

/** The preview of a replay, by the fields of its form. */
export function replayPath(fields: Readonly<Record<string, string>>): string {
  return `runs/new?${new URLSearchParams(fields)}`;
}

/** A button that leads to the preview of a replay. */
export function replayButton(words: string, path: string, more: Content = html`class="button"`): Html {
  return html`<a ${more} href="${path}">${icon('replay')}${words}</a>`;
}

/** The button for the replay of what a page shows, with its key. */
export const mainReplay = html`class="button primary" data-key="r"`;
