import { type Content, type Html, html } from '../html.ts';

/** A page above the current one with its address, or the current one without. */
type Breadcrumb = readonly [text: string, href?: string];

/** The title of a page, below its breadcrumbs, with its state and actions beside it. */
export function pageHead(title: Content, breadcrumbs: readonly Breadcrumb[] = [], aside?: Content): Html {
  const links = breadcrumbs.map(
    ([text, href], index) => html`${index > 0 && ' / '}${href ? html`<a href="${href}">${text}</a>` : text}`,
  );
  return html`<div class="head">${links.length > 0 && html`<p class="breadcrumb">${links}</p>`}<h1>${title}</h1>${aside}</div>`;
}
