import { type Content, type Html, html } from '../html.ts';
import { countOf } from './number.ts';

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
