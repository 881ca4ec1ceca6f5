import { format } from 'jsonc-parser';
import { type Content, type Html, html } from '../html.ts';

/** A string, with its colon if it is a key, or a literal or number. */
const token = /("(?:[^"\\]|\\.)*"?)(\s*:)?|-?\b(?:\d[\d.eE+-]*|true|false|null)\b/g;

/** JSON text, indented and highlighted, line by line. Digits and escapes are unchanged. */
export function jsonLines(text: string): Html[] {
  return indentJson(text)
    .split('\n')
    .map((line) => html`${highlightLine(line)}\n`);
}

function highlightLine(line: string): Content[] {
  let end = 0;
  const tokens = [...line.matchAll(token)].flatMap((found): Content[] => {
    const before = line.slice(end, found.index);
    end = found.index + found[0].length;
    return [before, highlight(found)];
  });
  return [...tokens, line.slice(end)];
}

function highlight([source, string, colon]: RegExpMatchArray): Content {
  if (string === undefined) return html`<b class="value">${source}</b>`;
  return colon === undefined
    ? html`<b class="text">${string}</b>`
    : html`<b class="key">${string}</b>${colon}`;
}

const perLine = 16;

/** A hex dump: offset, hexadecimal codes, and the printable ASCII characters. */
export function hexLines(bytes: Buffer): Html[] {
  return Array.from({ length: Math.ceil(bytes.length / perLine) }, (_, line) => {
    const offset = line * perLine;
    const row = [...bytes.subarray(offset, offset + perLine)];
    const codes = row.map((byte) => byte.toString(16).padStart(2, '0'));
    const hex = `${codes.slice(0, 8).join(' ')}  ${codes.slice(8).join(' ')}`.padEnd(49);
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    return html`<span class="dim">${offset.toString(16).padStart(6, '0')}</span>  ${hex} <span class="dim">${text}</span>\n`;
  });
}

/** Beyond this depth a few kilobytes of brackets would become megabytes of spaces. */
const maxDepth = 100;

/** JSON text, valid or not, indented. Digits and escapes are unchanged. */
export function indentJson(text: string): string {
  if (isDeep(text)) return text;
  const edits = format(text, undefined, { insertSpaces: true, tabSize: 2, eol: '\n' });
  let end = 0;
  // In one pass: applyEdits copies the whole text for each edit.
  const pieces = edits.map(({ offset, length, content }) => {
    const before = text.slice(end, offset);
    end = offset + length;
    return before + content;
  });
  return pieces.join('') + text.slice(end);
}

/** Whether JSON text is nested deeper than a page shows it. */
export function isDeep(text: string): boolean {
  return measureDepth(text) > maxDepth;
}

function measureDepth(text: string): number {
  let [depth, max] = [0, 0];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (token === '[' || token === '{') max = Math.max(max, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return max;
}
