import { applyEdits, format } from 'jsonc-parser';

/** Deeper than this each line would be mostly spaces, and a page of megabytes could be made of a few kilobytes. */
const deepest = 100;

/** JSON text, or what looks like it, indented; its digits and escapes stay as they were written. */
export function indentJson(text: string): string {
  if (measureDepth(text) > deepest) return text;
  return applyEdits(text, format(text, undefined, { insertSpaces: true, tabSize: 2, eol: '\n' }));
}

function measureDepth(text: string): number {
  let [depth, most] = [0, 0];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (token === '[' || token === '{') most = Math.max(most, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return most;
}
