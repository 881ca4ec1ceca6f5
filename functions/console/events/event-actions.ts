import { icon } from '../components/icon.ts';
import { type Html, html } from '../html.ts';
import type { MaskedEvent } from './mask-event.ts';

/** The actions on one event; each opens a page that previews its effect. */
export function eventActions(event: MaskedEvent, unmaskId: string | undefined): Html | false {
  const { id, status, isMasked, isArchived } = event;
  if (isArchived) return false;
  const included =
    status === 'SUCCEEDED' ? '&includeSucceeded=on' : status === 'DISCARDED' ? '&includeDiscarded=on' : '';
  const isClosed = status === 'SUCCEEDED' || status === 'DISCARDED';
  return html`<div class="actions">
    <a class="button primary" href="runs/new?q=id:${id}${included}">${icon('replay')}Replay…</a>
    ${!isMasked && html`<a class="button" href="events/${id}/edit${unmaskId && `?unmask=${unmaskId}`}">Edit and replay…</a>`}
    ${isClosed ? html`<a class="button" href="events/reopen?q=id:${id}">Reopen…</a>` : html`<a class="button" href="events/discard?q=id:${id}">Discard…</a>`}
  </div>`;
}
