import { formatBytes } from '../components/format.ts';
import { linkSwitch } from '../components/links.ts';
import { collapsibleLines, section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import { hexLines, jsonLines } from './payload-lines.ts';
import type { MaskedEvent } from './visible-event.ts';

const views = { pretty: 'Pretty', raw: 'Raw', hex: 'Hex' } as const;
type PayloadView = keyof typeof views;

const visibleLines = 40;
/** Limits of one page; a download has the whole payload. */
const maxCharacters = 32_000;
const maxLines = 500;
const maxHexBytes = 4096;

/** The payload in the requested view, or in the one that suits its encoding. */
export function payloadSection(event: MaskedEvent, requested: string | null, unmaskId?: string): Html {
  const offered = offerViews(event);
  const current = offered.find((each) => each === requested) ?? offered[0];
  // An unmasked event stays unmasked in its other views.
  const href = (view: PayloadView) =>
    `events/${event.id}?${new URLSearchParams({ view, ...(unmaskId && { unmask: unmaskId }) })}#payload`;
  const canDownload = current && !event.isMasked && unmaskId === undefined;
  const more = canDownload && html`<a href="events/${event.id}/body" download>Download</a>`;
  const named = offered.map((each) => [each, views[each]] as const);
  const aside = html`<span class="muted small">${event.contentType ?? 'no content type'} · ${formatBytes(event.bytes)}</span>
    ${linkSwitch('View', named, { current, href, more })}`;
  const empty = event.payloadEncoding === 'none' ? 'The message has no payload.' : 'The payload is empty.';
  return section('Payload', current ? showAs(current, event) : html`<p class="muted">${empty}</p>`, aside);
}

function offerViews({ payloadEncoding: encoding, bytes }: MaskedEvent): readonly PayloadView[] {
  if (encoding === 'none' || bytes === 0) return [];
  if (encoding === 'json') return ['pretty', 'raw', 'hex'];
  return encoding === 'text' ? ['raw', 'hex'] : ['hex', 'raw'];
}

function showAs(view: PayloadView, event: MaskedEvent): Html {
  const { body, bytes } = event;
  const whole = body.toString('utf8');
  const text = whole.slice(0, maxCharacters);
  const lines = {
    pretty: () => jsonLines(text),
    raw: () => text.split('\n').map((line) => html`${line}\n`),
    hex: () => hexLines(body.subarray(0, maxHexBytes)),
  }[view]();
  const isText = view !== 'hex';
  const fits = body.length >= bytes && text.length === whole.length && lines.length <= maxLines;
  const isWhole = isText ? fits : bytes <= maxHexBytes;
  const shown = collapsibleLines(lines.slice(0, maxLines), visibleLines);
  return html`<div class="payload ${view}"${!isText && html` tabindex="0" role="region" aria-label="Bytes"`}>${shown}</div>
    ${isText && isWhole && html`<p><button type="button" class="link small" data-copy-text="${whole}">Copy payload</button></p>`}
    ${!isWhole && html`<p class="hint">Truncated. Download the payload to see all ${formatBytes(bytes)}.</p>`}`;
}
