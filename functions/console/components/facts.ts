import { formatNumber } from '../../../shared/count-of.ts';
import { type Content, type Html, html } from '../html.ts';

/** A description list of names and values; entries without a value are omitted. */
export function facts(entries: readonly (readonly [name: string, value: Content])[]): Html {
  const known = entries.filter(
    ([, value]) => value !== null && value !== undefined && value !== false && String(value) !== '',
  );
  return html`<dl class="facts">${known.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** A table of names with their values. */
export function keyValues(rows: readonly (readonly [name: Content, value: Content])[]): Html {
  const lines = rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`);
  return html`<table class="key-values"><tbody>${lines}</tbody></table>`;
}

/** Words, each with its number, which has words of its own or none. */
export function countList(counts: readonly (readonly [words: Content, count: number | string])[]): Html {
  const show = (count: number | string) =>
    typeof count === 'string' ? count : html`<b>${formatNumber(count)}</b>`;
  const lines = counts.map(
    ([words, count]) => html`<li><span class="wrap">${words}</span><span>${show(count)}</span></li>`,
  );
  return html`<ul class="list">${lines}</ul>`;
}

type StatOptions = {
  readonly note?: Content;
  readonly href?: string | undefined;
  readonly tone?: 'bad' | 'needs-you' | false;
};

/** A number with its label and a note; a link if it has an address. */
export function stat(
  label: string,
  value: number | Html | string,
  { note, href, tone = false }: StatOptions = {},
): Html {
  const shown = typeof value === 'number' ? formatNumber(value) : value;
  const content = html`<span class="muted small">${label}</span><span class="value${tone && ` ${tone}`}">${shown}</span><span class="muted small wrap">${note}</span>`;
  return href === undefined
    ? html`<div class="stat">${content}</div>`
    : html`<a class="stat" href="${href}">${content}</a>`;
}
