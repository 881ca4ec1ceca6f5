import { type Html, html } from '../html.ts';
import { countOf } from './number.ts';

/** Lines of code or text, of which a reader sees the first `visible`, and the rest on demand. */
export function foldLines(lines: readonly Html[], visible: number): Html {
  // One more line costs less than saying that there is one.
  if (lines.length <= visible + 1) return html`<pre class="code">${lines}</pre>`;
  const rest = lines.length - visible;
  return html`<pre class="code">${lines.slice(0, visible)}</pre>
<details class="fold"><summary>${countOf(rest, 'more line')}</summary><pre class="code">${lines.slice(visible)}</pre></details>`;
}
