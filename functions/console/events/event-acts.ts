import { type Html, html } from '../html.ts';
import { icon } from '../parts/icon.ts';
import type { MaskedEvent } from './mask-event.ts';

/** What can be done to one event; each leads to a page that says first what it would do. */
export function eventActs(event: MaskedEvent, reveal: string | undefined): Html | false {
  const { id, status, isMasked, is_archived: isArchived } = event;
  if (isArchived) return false;
  const more =
    status === 'SUCCEEDED' ? '&includeSucceeded=on' : status === 'DISCARDED' ? '&includeDiscarded=on' : '';
  const isClosed = status === 'SUCCEEDED' || status === 'DISCARDED';
  return html`<div class="acts">
    <a class="button primary" href="runs/new?q=id:${id}${more}">${icon('replay')}Replay…</a>
    ${!isMasked && html`<a class="button" href="events/${id}/edit${reveal && `?reveal=${reveal}`}">Edit and replay…</a>`}
    ${isClosed ? html`<a class="button" href="events/reopen?q=id:${id}">Reopen…</a>` : html`<a class="button" href="events/discard?q=id:${id}">Discard…</a>`}
  </div>`;
}
