import { type Content, type Html, html } from '../html.ts';

/** A section with its heading, and links or notes beside it. Its id is the title in kebab case. */
export function section(title: string, content: Content, aside?: Content): Html {
  const id = title.toLowerCase().replaceAll(' ', '-');
  const heading = html`<h2 id="${id}">${title}</h2>`;
  return html`<section aria-labelledby="${id}">${aside ? html`<div class="section-head">${heading}${aside}</div>` : heading}${content}</section>`;
}
