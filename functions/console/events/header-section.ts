import type { Route } from '../../../shared/delivery/routes.ts';
import { limitsOf } from '../../../shared/delivery/targets/target-kinds.ts';
import { maxHeaderBytes } from '../../../shared/events/read-event.ts';
import { isObject, printJson } from '../../../shared/json/parse-json.ts';
import { findFailureHeaders } from '../../../shared/message/failure-headers.ts';
import { keyValues } from '../components/facts.ts';
import { formatBytes } from '../components/format.ts';
import { collapsible, section } from '../components/section.ts';
import { type Content, type Html, html } from '../html.ts';
import type { MaskedEvent } from './visible-event.ts';

const visible = 8;

/** The headers of the captured message, those that were not stored, and those that a redelivery lacks. */
export function headerSection(event: MaskedEvent, route: Route | undefined): Html | false {
  const { headers, headerBytes, withheld } = event;
  if (headerBytes > maxHeaderBytes) {
    const size = formatBytes(headerBytes);
    return section(
      'Headers',
      html`<p class="hint">${size}: too large for a page. A redelivery has all of them.</p>`,
    );
  }
  const rows = [
    ...Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((each) => [name, showValue(each)] as const),
    ),
    ...(withheld ?? []).map((name) => [name, notStored] as const),
  ];
  if (rows.length === 0) return false;
  const rest = rows.slice(visible);
  const more = rest.length > 0 && collapsible(`${rest.length} more`, keyValues(rest));
  return section('Headers', html`${keyValues(rows.slice(0, visible))}${more}${listOmitted(event, route)}`);
}

const notStored = html`<span class="muted">not stored: it is a credential</span>`;

/** The headers that a redelivery omits or changes: those about the failure, and those that the target does not take. */
function listOmitted(event: MaskedEvent, route: Route | undefined): Content {
  const isOfFailure = findFailureHeaders(event.headers, event.sourceKind);
  const ofFailure = Object.keys(event.headers).filter(isOfFailure);
  const outgoing = { ...event, sourceKeyBytes: null, bodyBytes: event.bytes };
  const limits = route ? limitsOf(route.target, outgoing).filter(({ effect }) => effect !== 'may-fail') : [];
  const names = ofFailure.map((name) => html`<code>${name}</code> `);
  return html`${names.length > 0 && html`<p class="hint">A redelivery omits what is about the failure: ${names}</p>`}
    ${limits.length > 0 && html`<ul class="hint">${limits.map(({ detail }) => html`<li>${detail}</li>`)}</ul>`}`;
}

/** An INSERT may store any JSON as the value of a header. */
function showValue(value: unknown): Html {
  if (typeof value === 'string') return html`<code>${value}</code>`;
  if (!isObject(value) || typeof value.base64 !== 'string') return html`<code>${printJson(value)}</code>`;
  return html`<code>${value.base64}</code> <span class="muted small">base64</span>`;
}
