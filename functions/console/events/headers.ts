import type { HeaderValue } from '../../../shared/events.ts';
import { type Html, html } from '../html.ts';

const visible = 8;

/** The original headers as they came. */
export function headerSection(headers: Readonly<Record<string, HeaderValue>>): Html | false {
  const rows = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each) => html`<tr><th scope="row">${name}</th><td>${showValue(each)}</td></tr>`),
  );
  if (rows.length === 0) return false;
  const table = (some: readonly Html[]) => html`<table class="pairs"><tbody>${some}</tbody></table>`;
  return html`<section aria-labelledby="headers">
    <div class="section-head"><h2 id="headers">Headers</h2></div>
    ${table(rows.slice(0, visible))}
    ${rows.length > visible && html`<details class="fold"><summary>${rows.length - visible} more</summary>${table(rows.slice(visible))}</details>`}
  </section>`;
}

function showValue(value: string | { readonly base64: string }): Html {
  if (typeof value === 'string') return html`<code>${value}</code>`;
  return html`<code>${value.base64}</code> <span class="muted small">base64</span>`;
}
