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
  const view = offered.find((each) => each === requested) ?? offered[0];
  // An unmasked event stays unmasked in its other views.
  const href = (view: PayloadView) =>
    `events/${event.id}?${new URLSearchParams({ view, ...(unmaskId && { unmask: unmaskId }) })}#payload`;
  const more =
    view &&
    !event.isMasked &&
    unmaskId === undefined &&
    html`<a href="events/${event.id}/body" download>Download</a>`;
  const named = offered.map((each) => [each, views[each]] as const);
  const aside = html`<span class="muted small">${event.contentType ?? 'no content type'} · ${formatBytes(event.bytes)}</span>
    ${linkSwitch('View', named, { current: view, href, more })}`;
  if (!view) return section('Payload', html`<p class="muted">${describeEmpty(event)}</p>`, aside);
  return section('Payload', showAs(view, event), aside);
}

function describeEmpty({ payloadEncoding }: MaskedEvent): string {
  return payloadEncoding === 'none' ? 'The message has no payload.' : 'The payload is empty.';
}

function offerViews({ payloadEncoding: encoding, bytes }: MaskedEvent): readonly PayloadView[] {
  if (encoding === 'none' || bytes === 0) return [];
  if (encoding === 'json') return ['pretty', 'raw', 'hex'];
  return encoding === 'text' ? ['raw', 'hex'] : ['hex', 'raw'];
}

function showAs(view: PayloadView, event: MaskedEvent): Html {
  const { lines, isWhole } = view === 'hex' ? readHex(event) : readText(event, view);
  const text = view !== 'hex' && isWhole && event.body.toString('utf8');
  return html`<div class="payload ${view}"${view === 'hex' && html` tabindex="0" role="region" aria-label="Bytes"`}>${collapsibleLines(lines, visibleLines)}</div>
    ${text && html`<p><button type="button" class="link small" data-copy-text="${text}" hidden>Copy payload</button></p>`}
    ${!isWhole && html`<p class="hint">Truncated. Download the payload to see all ${formatBytes(event.bytes)}.</p>`}`;
}

type PayloadLines = { readonly lines: Html[]; readonly isWhole: boolean };

function readHex(event: MaskedEvent): PayloadLines {
  return { lines: hexLines(event.body.subarray(0, maxHexBytes)), isWhole: event.bytes <= maxHexBytes };
}

function readText(event: MaskedEvent, view: PayloadView): PayloadLines {
  const bytes = event.body;
  const text = bytes.toString('utf8');
  const shown = text.slice(0, maxCharacters);
  const lines = view === 'raw' ? shown.split('\n').map((line) => html`${line}\n`) : jsonLines(shown);
  const isWhole = bytes.length >= event.bytes && shown.length === text.length && lines.length <= maxLines;
  return { lines: lines.slice(0, maxLines), isWhole };
}
