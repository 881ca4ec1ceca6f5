import { formatBytes } from '../components/format.ts';
import { linkSwitch } from '../components/links.ts';
import { collapsibleLines, section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import { findForm, showHits } from './payload-find.ts';
import { hexLines, jsonLines } from './payload-lines.ts';
import { payloadTree } from './payload-tree.ts';
import type { MaskedEvent } from './visible-event.ts';

const views = { pretty: 'Pretty', tree: 'Tree', raw: 'Raw', hex: 'Hex' } as const;
type PayloadView = keyof typeof views;

const visibleLines = 40;
/** Limits of one page; a download has the whole payload. */
const maxCharacters = 32_000;
const maxLines = 500;
const maxHexBytes = 4096;

type Requested = {
  readonly view: string | null;
  /** The text to find, and the event with as much of its payload as is searched. */
  readonly find: string;
  readonly searched: MaskedEvent;
  readonly unmaskId: string | undefined;
};

/** The payload in the requested view, or in the one that suits its encoding. */
export function payloadSection(
  event: MaskedEvent,
  { view: requested, find, searched, unmaskId }: Requested,
): Html {
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
  const { shown, isLong } = showAs(view, event);
  const isText = event.payloadEncoding !== 'base64';
  const finder = isText && (isLong || find !== '') && findForm(event, { find, view, unmaskId });
  return section(
    'Payload',
    html`${finder}${finder && find !== '' && showHits(searched, find)}${shown}`,
    aside,
  );
}

function describeEmpty({ payloadEncoding }: MaskedEvent): string {
  return payloadEncoding === 'none' ? 'The message has no payload.' : 'The payload is empty.';
}

function offerViews({ payloadEncoding: encoding, bytes }: MaskedEvent): readonly PayloadView[] {
  if (encoding === 'none' || bytes === 0) return [];
  if (encoding === 'json') return ['pretty', 'tree', 'raw', 'hex'];
  return encoding === 'text' ? ['raw', 'hex'] : ['hex', 'raw'];
}

/** The payload in a view, and whether the page does not show all of it at first. */
function showAs(view: PayloadView, event: MaskedEvent): { readonly shown: Html; readonly isLong: boolean } {
  const text = view === 'hex' ? '' : event.body.toString('utf8');
  const tree = view === 'tree' && payloadTree(text);
  const { lines, isWhole } = view === 'hex' ? readHex(event) : readText(event, view);
  const isCut = tree ? event.body.length < event.bytes : !isWhole;
  const shown = html`<div class="payload">${tree || collapsibleLines(lines, visibleLines)}</div>
    ${isWhole && text !== '' && html`<p><button type="button" class="link small" data-copy-text="${text}" hidden>Copy payload</button></p>`}
    ${isCut && html`<p class="hint">Truncated. Download the payload to see all ${formatBytes(event.bytes)}.</p>`}`;
  return { shown, isLong: isCut || lines.length > visibleLines + 1 };
}

type PayloadLines = { readonly lines: Html[]; readonly isWhole: boolean };

function readHex(event: MaskedEvent): PayloadLines {
  return { lines: hexLines(event.body.subarray(0, maxHexBytes)), isWhole: event.bytes <= maxHexBytes };
}

function readText(event: MaskedEvent, view: PayloadView): PayloadLines {
  const bytes = event.body;
  const text = bytes.toString('utf8');
  const shown = text.slice(0, maxCharacters);
  const lines = (view === 'raw' ? shown.split('\n').map((line) => html`${line}\n`) : jsonLines(shown)).map(
    (line) => html`<span class="line">${line}</span>`,
  );
  const isWhole = bytes.length >= event.bytes && shown.length === text.length && lines.length <= maxLines;
  return { lines: lines.slice(0, maxLines), isWhole };
}
