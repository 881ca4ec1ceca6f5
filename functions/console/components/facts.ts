import { type Content, type Html, html } from '../html.ts';

/** A description list of names and values; entries without a value are omitted. */
export function facts(entries: readonly (readonly [name: string, value: Content])[]): Html {
  const known = entries.filter(
    ([, value]) => value !== null && value !== undefined && value !== false && String(value) !== '',
  );
  return html`<dl class="facts">${known.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}
