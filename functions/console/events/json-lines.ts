import { type Content, type Html, html } from '../html.ts';
import { indentJson } from './indent-json.ts';

/** A string with the colon that makes it a key, or a word or number; what is between them stays plain. */
const token = /("(?:[^"\\]|\\.)*"?)(\s*:)?|-?\b(?:\d[\d.eE+-]*|true|false|null)\b/g;

/** JSON text, indented and coloured, line by line. Its digits and its escapes stay as they were written. */
export function jsonLines(text: string): Html[] {
  return indentJson(text)
    .split('\n')
    .map((line) => html`${colourLine(line)}\n`);
}

function colourLine(line: string): Content[] {
  let end = 0;
  const parts = [...line.matchAll(token)].flatMap((found): Content[] => {
    const before = line.slice(end, found.index);
    end = found.index + found[0].length;
    return [before, colour(found)];
  });
  return [...parts, line.slice(end)];
}

function colour([source, string, colon]: RegExpMatchArray): Content {
  if (string === undefined) return html`<b class="value">${source}</b>`;
  return colon === undefined
    ? html`<b class="text">${string}</b>`
    : html`<b class="key">${string}</b>${colon}`;
}
