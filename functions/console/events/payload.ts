import { type Html, html } from '../html.ts';
import { foldLines } from '../parts/fold.ts';
import { formatBytes } from '../parts/number.ts';
import { hexLines } from './hex.ts';
import { jsonLines } from './json-lines.ts';
import type { MaskedEvent } from './mask-event.ts';
import { bytesOf } from './read-event.ts';

const views = { pretty: 'Pretty', raw: 'Raw', hex: 'Hex' } as const;
export type PayloadView = keyof typeof views;

const visibleLines = 40;
/** What a page shows of a payload at most: a reader wants no more of it, and a download has the rest. */
const mostCharacters = 32_000;
const mostLines = 500;
const mostHexBytes = 4096;

/** The payload in the view that was asked for, or in the one that suits it. */
export function payloadSection(event: MaskedEvent, asked: string | null, reveal?: string): Html {
  const offered = offerViews(event);
  const view = offered.find((each) => each === asked) ?? offered[0];
  return html`<section aria-labelledby="payload">
    <div class="section-head">
      <h2 id="payload">Payload</h2>
      <span class="muted small">${event.content_type ?? 'no content type'} · ${formatBytes(event.bytes)}</span>
      <span class="switch">${offered.map((each) => viewLink({ id: event.id, view: each, isHere: each === view, reveal }))}
      ${view && !event.isMasked && reveal === undefined && html`<a href="events/${event.id}/body" download>Download</a>`}</span>
    </div>
    ${view ? showAs(view, event) : html`<p class="muted">The message had no payload.</p>`}
  </section>`;
}

function offerViews({ payload_encoding: encoding }: MaskedEvent): readonly PayloadView[] {
  if (encoding === 'none') return [];
  if (encoding === 'json') return ['pretty', 'raw', 'hex'];
  return encoding === 'text' ? ['raw', 'hex'] : ['hex', 'raw'];
}

type ViewLink = {
  readonly id: string;
  readonly view: PayloadView;
  readonly isHere: boolean;
  readonly reveal: string | undefined;
};

/** What was revealed stays so in another view. */
function viewLink({ id, view, isHere, reveal }: ViewLink): Html {
  const query = new URLSearchParams({ view, ...(reveal && { reveal }) });
  return html`<a href="events/${id}?${String(query)}#payload"${isHere && html` aria-current="true"`}>${views[view]}</a>`;
}

function showAs(view: PayloadView, event: MaskedEvent): Html {
  const { lines, isWhole } = view === 'hex' ? readHex(event) : readText(event, view);
  return html`${foldLines(lines, visibleLines)}
    ${!isWhole && html`<p class="hint">This is the beginning. Download it to see all ${formatBytes(event.bytes)}.</p>`}`;
}

type Reading = { readonly lines: Html[]; readonly isWhole: boolean };

function readHex(event: MaskedEvent): Reading {
  return { lines: hexLines(bytesOf(event).subarray(0, mostHexBytes)), isWhole: event.bytes <= mostHexBytes };
}

function readText(event: MaskedEvent, view: PayloadView): Reading {
  const bytes = bytesOf(event);
  const text = bytes.toString('utf8');
  const shown = text.slice(0, mostCharacters);
  const lines = view === 'pretty' ? jsonLines(shown) : shown.split('\n').map((line) => html`${line}\n`);
  const isWhole = bytes.length >= event.bytes && shown.length === text.length && lines.length <= mostLines;
  return { lines: lines.slice(0, mostLines), isWhole };
}
