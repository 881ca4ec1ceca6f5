import { type Html, html } from '../html.ts';
import type { DiffLine } from './diff-lines.ts';

/** Unchanged lines shown around a change. */
const contextLines = 3;

const classes = { ' ': 'same', '-': 'removed', '+': 'added' } as const;
const words = { ' ': '', '-': 'removed: ', '+': 'added: ' } as const;

/** The changed lines of a difference, with their context. */
export function showDiff(lines: readonly DiffLine[]): Html {
  if (lines.every(({ sign }) => sign === ' ')) return html`<p class="hint">Only whitespace differs.</p>`;
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(({ sign }) => sign !== ' ');
  const shown = lines.flatMap((line, index) => {
    if (isNear(index)) return [showLine(line)];
    // One ellipsis per omitted range.
    return index === 0 || isNear(index - 1) ? [html`<span class="frame dim">…</span>`] : [];
  });
  return html`<pre class="code diff">${shown}</pre>`;
}

function showLine({ sign, text }: DiffLine): Html {
  return html`<span class="frame ${classes[sign]}">${sign !== ' ' && html`<span class="visually-hidden">${words[sign]}</span>`}<span aria-hidden="true">${sign}</span> ${text}</span>`;
}
