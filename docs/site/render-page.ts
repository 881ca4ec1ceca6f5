import { Marked } from 'marked';

export type Page = { readonly name: string; readonly title: string; readonly html: string };

/** Returns the anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * Renders a page of docs/ as HTML. Links to other pages become links within the site; of a link to a file elsewhere
 * in the repository the words are left, since the site has pages only.
 */
export function renderPage(name: string, markdown: string): Page {
  const [, title = name] = /^# (.*)$/m.exec(markdown) ?? [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const words = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchorOf(text.replaceAll('`', ''))}">${words}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const target = linkTo(href);
        return target === undefined ? words : `<a href="${target}">${words}</a>`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  // A wide table scrolls within itself.
  return {
    name,
    title,
    html: html.replaceAll('<table>', '<div class="table"><table>').replaceAll('</table>', '</table></div>'),
  };
}

function linkTo(href: string): string | undefined {
  if (/^(?:https?:|#)/.test(href)) return href;
  const [, page, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return page && `${page}.html${anchor}`;
}
