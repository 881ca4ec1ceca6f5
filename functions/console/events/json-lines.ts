import { type Content, type Html, html } from '../html.ts';
import { indentJson } from './indent-json.ts';

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
