import { countOf } from '../../../shared/count-of.ts';
import { type Content, type Html, html } from '../html.ts';

/** A page above the current one with its address, or the current one without. */
type Breadcrumb = readonly [text: string, href?: string];

/** The title of a page, below its breadcrumbs, with its state and actions beside it. */
export function pageHead(title: Content, breadcrumbs: readonly Breadcrumb[] = [], aside?: Content): Html {
  const links = breadcrumbs.map(
    ([text, href], index) => html`${index > 0 && ' / '}${href ? html`<a href="${href}">${text}</a>` : text}`,
  );
  return html`<div class="head">${links.length > 0 && html`<p class="breadcrumb muted small">${links}</p>`}<h1>${title}</h1>${aside}</div>`;
}

/** A section with its heading, and links or notes beside it. Its id is the title in kebab case. */
export function section(title: string, content: Content, aside?: Content): Html {
  const id = title.toLowerCase().replaceAll(' ', '-');
  const heading = html`<h2 id="${id}">${title}</h2>`;
  return html`<section aria-labelledby="${id}">${aside ? html`<div class="section-head">${heading}${aside}</div>` : heading}${content}</section>`;
}

/** A main column, and one at its side. */
export function columns(main: Content, side: Content): Html {
  return html`<div class="columns"><div>${main}</div><div>${side}</div></div>`;
}

/** Says that there is nothing to show, and what to do. */
export function emptyState(title: string, content: Content): Html {
  return html`<div class="empty"><h2>${title}</h2>${content}</div>`;
}

/** Content that is hidden until its summary is opened. */
export function collapsible(summary: Content, content: Content, isOpen = false): Html {
  return html`<details class="collapsible"${isOpen && html` open`}><summary>${summary}</summary>${content}</details>`;
}

/** Lines of code or text: the first `visible` are shown, the rest is collapsed. */
export function collapsibleLines(lines: readonly Html[], visible: number): Html {
  // The summary takes a line itself, so a single remaining line is shown in its place.
  if (lines.length <= visible + 1) return html`<pre class="code">${lines}</pre>`;
  const rest = lines.slice(visible);
  return html`<pre class="code">${lines.slice(0, visible)}</pre>
${collapsible(countOf(rest.length, 'more line'), html`<pre class="code">${rest}</pre>`)}`;
}

/** A text with a button that copies it. */
export function copyable(id: string, text: string, words = 'Copy'): Html {
  return html`<pre class="code" id="${id}">${text}</pre><p><button type="button" class="link small" data-copy="${id}">${words}</button></p>`;
}
