import { type Html, html } from '../html.ts';
import type { DiffLine } from './diff-lines.ts';

/** Lines around a change that are shown as well. */
const context = 3;

const classes = { ' ': 'same', '-': 'removed', '+': 'added' } as const;
const words = { ' ': '', '-': 'removed: ', '+': 'added: ' } as const;

/** Changed lines, with some around them. */
export function showDiff(lines: readonly DiffLine[]): Html {
  if (lines.every(({ sign }) => sign === ' ')) return html`<p class="hint">Only the layout differs.</p>`;
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ sign }) => sign !== ' ');
  const shown = lines.flatMap((line, index) => {
    if (isNear(index)) return [showLine(line)];
    // Once for each stretch that is left out.
    return index === 0 || isNear(index - 1) ? [html`<span class="frame dim">…</span>`] : [];
  });
  return html`<pre class="code diff">${shown}</pre>`;
}

function showLine({ sign, text }: DiffLine): Html {
  return html`<span class="frame ${classes[sign]}">${sign !== ' ' && html`<span class="unseen">${words[sign]}</span>`}<span aria-hidden="true">${sign}</span> ${text}</span>`;
}
