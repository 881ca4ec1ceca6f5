import type { HeaderValue } from '../../../shared/events/event.ts';
import { collapsible, section } from '../components/section.ts';
import { type Html, html } from '../html.ts';

const visible = 8;

/** The headers of the captured message. */
export function headerSection(headers: Readonly<Record<string, HeaderValue>>): Html | false {
  const rows = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each) => html`<tr><th scope="row">${name}</th><td>${showValue(each)}</td></tr>`),
  );
  if (rows.length === 0) return false;
  const table = (some: readonly Html[]) => html`<table class="key-values"><tbody>${some}</tbody></table>`;
  const rest = rows.slice(visible);
  const more = rest.length > 0 && collapsible(`${rest.length} more`, table(rest));
  return section('Headers', html`${table(rows.slice(0, visible))}${more}`);
}

function showValue(value: string | { readonly base64: string }): Html {
  if (typeof value === 'string') return html`<code>${value}</code>`;
  return html`<code>${value.base64}</code> <span class="muted small">base64</span>`;
}
