import { applyEdits, format } from 'jsonc-parser';

/** Beyond this depth a few kilobytes of brackets would become megabytes of spaces. */
const maxDepth = 100;

/** JSON text, valid or not, indented. Digits and escapes are unchanged. */
export function indentJson(text: string): string {
  if (measureDepth(text) > maxDepth) return text;
  return applyEdits(text, format(text, undefined, { insertSpaces: true, tabSize: 2, eol: '\n' }));
}

function measureDepth(text: string): number {
  let [depth, max] = [0, 0];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (token === '[' || token === '{') max = Math.max(max, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return max;
}
