import { format } from 'jsonc-parser';
import type { Route } from '../../../shared/delivery/routes.ts';
import { limitsOf } from '../../../shared/delivery/targets/target-kinds.ts';
import { maxHeaderBytes } from '../../../shared/events/read-event.ts';
import { isObject, printJson } from '../../../shared/json/parse-json.ts';
import { findFailureHeaders } from '../../../shared/message/failure-headers.ts';
import { formatBytes } from '../components/format.ts';
import { collapsible, collapsibleLines, facts, section } from '../components/section.ts';
import { type Content, type Html, html } from '../html.ts';
import type { MaskedEvent } from './visible-event.ts';

const visibleLines = 40;
/** Limits of one page; a download has the whole payload. */
const maxCharacters = 32_000;
const maxLines = 500;
const maxHexBytes = 4096;

/** The payload: JSON indented, text as it is, and other bytes as a hex dump. */
export function payloadSection(event: MaskedEvent): Html {
  const { id, payloadEncoding: encoding, contentType, mask, unmaskId, stored } = event;
  const { bytes } = stored;
  const isEmpty = encoding === 'none' || bytes === 0;
  const empty = encoding === 'none' ? 'The message has no payload.' : 'The payload is empty.';
  const download = html` <a href="events/${id}/body" download>Download</a>`;
  const aside = html`<span class="muted small">${contentType ?? 'no content type'} · ${formatBytes(bytes)}${mask.length === 0 && !unmaskId && !isEmpty && download}</span>`;
  const content = isEmpty ? html`<p class="muted">${empty}</p>` : showPayload(event);
  return section('Payload', content, aside);
}

function showPayload({ body, bytes, payloadEncoding: encoding, payloadText, stored }: MaskedEvent): Html {
  const truncated = html`<p class="hint">Truncated. Download the payload to see all ${formatBytes(bytes)}.</p>`;
  const show = (lines: readonly Html[]) => collapsibleLines(lines.slice(0, maxLines), visibleLines);
  if (encoding === 'base64') {
    const lines = show(hexLines(body.subarray(0, maxHexBytes)));
    return html`<div class="hex" tabindex="0" role="region" aria-label="Bytes">${lines}</div>${bytes > maxHexBytes && truncated}`;
  }
  const whole = (body === stored.body && payloadText) || body.toString('utf8');
  const text = whole.slice(0, maxCharacters);
  const lines = encoding === 'json' ? jsonLines(text) : text.split('\n').map((line) => html`${line}\n`);
  const isWhole = body.length >= bytes && text.length === whole.length && lines.length <= maxLines;
  const copy = html`<p><button type="button" class="link small" data-copy-text="${whole}">Copy payload</button></p>`;
  return html`<div class="payload">${show(lines)}</div>${isWhole ? copy : truncated}`;
}

/** A string, or a literal or number. */
const token = /("(?:[^"\\]|\\.)*"?|-?\b(?:\d[\d.eE+-]*|true|false|null)\b)/;

/** JSON text, indented and highlighted, line by line. Digits and escapes are unchanged. */
export function jsonLines(text: string): Html[] {
  return indentJson(text)
    .split('\n')
    .map((line) => html`${line.split(token).map(highlight)}\n`);
}

/** Highlights each other part, a token; a string before a colon is a key. */
function highlight(part: string, index: number, parts: readonly string[]): Content {
  if (index % 2 === 0) return part;
  if (!part.startsWith('"')) return html`<b class="waiting">${part}</b>`;
  const isKey = parts[index + 1]?.trimStart().startsWith(':');
  return html`<b${isKey && html` class="busy"`}>${part}</b>`;
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

function isDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (bracket === '[' || bracket === '{') depth++;
    else if (bracket === ']' || bracket === '}') depth--;
    if (depth > maxDepth) return true;
  }
  return false;
}

const visibleHeaders = 8;

/** The headers of the captured message, those that were not stored, and those that a redelivery lacks. */
export function headerSection(event: MaskedEvent, route: Route | undefined): Html | false {
  const { headers, headerBytes, withheld } = event;
  if (headerBytes > maxHeaderBytes) {
    const words = `${formatBytes(headerBytes)}: too large for a page. A redelivery has all of them.`;
    return section('Headers', html`<p class="hint">${words}</p>`);
  }
  const rows = [
    ...Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((each) => [name, showHeader(each)] as const),
    ),
    ...(withheld ?? []).map((name) => [name, notStored] as const),
  ];
  if (rows.length === 0) return false;
  const rest = rows.slice(visibleHeaders);
  const more = rest.length > 0 && collapsible(`${rest.length} more`, facts(rest));
  return section('Headers', html`${facts(rows.slice(0, visibleHeaders))}${more}${listOmitted(event, route)}`);
}

const notStored = html`<span class="muted">not stored: it is a credential</span>`;

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
function showHeader(value: unknown): Html {
  if (typeof value === 'string') return html`<code>${value}</code>`;
  if (!isObject(value) || typeof value.base64 !== 'string') return html`<code>${printJson(value)}</code>`;
  return html`<code>${value.base64}</code> <span class="muted small">base64</span>`;
}
