import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { type Content, type Html, html } from '../html.ts';
import { searchLink } from './links.ts';

/** A page above the current one with its address, or the current one without. */
type Breadcrumb = readonly [text: Content, href?: string];

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

/** A description list of names and values; entries without a value are omitted. */
export function facts(entries: readonly (readonly [name: Content, value: Content])[]): Html {
  const known = entries.filter(([, value]) => value !== false && String(value ?? '') !== '');
  return html`<dl class="facts">${known.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** Words, each with its number, or with what else is said of them. */
export function countList(counts: readonly (readonly [words: Content, count: Content])[]): Html {
  const show = (count: Content) => (typeof count === 'number' ? html`<b>${formatNumber(count)}</b>` : count);
  const lines = counts.map(
    ([words, count]) => html`<li><span class="wrap">${words}</span><span>${show(count)}</span></li>`,
  );
  return html`<ul class="list">${lines}</ul>`;
}

type StatOptions = {
  readonly note?: Content;
  readonly href?: string | undefined;
  readonly tone?: 'bad' | 'needs-you' | false;
};

/** A number with its label and a note; a link if it has an address. */
export function stat(label: string, value: number | Html | string, options: StatOptions = {}): Html {
  const { note, href, tone = false } = options;
  const shown = typeof value === 'number' ? formatNumber(value) : value;
  const content = html`<span class="muted small">${label}</span><span class="value${tone && ` ${tone}`}">${shown}</span><span class="muted small wrap">${note}</span>`;
  return href === undefined
    ? html`<div class="stat">${content}</div>`
    : html`<a class="stat" href="${href}">${content}</a>`;
}

/** The events of a filter that are left to deliver and to decide about, as numbers that lead to them. */
export function leftStats(open: number, failed: number, filter = ''): Html {
  const href = (statuses: string) => searchLink(`${filter} status:${statuses}`.trim());
  const note = failed > 0 && 'no longer retried';
  return html`${stat('Open', open, { href: href('PENDING,PROCESSING'), note: open > 0 && 'not delivered yet' })}
    ${stat('Failed permanently', failed, { href: href('FAILED_PERMANENTLY'), note, tone: failed > 0 && 'bad' })}`;
}
