import type { EventSummary } from '../../../shared/event-pages.ts';
import { type Html, html } from '../html.ts';
import { formatNumber } from '../parts/number.ts';
import { status } from '../parts/status.ts';
import { ago } from '../parts/time.ts';

type Look = {
  readonly now: Date;
  /** With a box to select each by. */
  readonly isSelectable?: boolean;
  /** In order of their failures: these are the times to tell. */
  readonly isByFailure?: boolean;
  /** In a column of a page: without what there is no room for. */
  readonly isNarrow?: boolean;
};

/** Events in rows, each with its error. */
export function eventTable(events: readonly EventSummary[], look: Look): Html {
  const { isSelectable = false, isByFailure = false, isNarrow = false } = look;
  return html`<table class="events">
    <thead><tr>
      ${isSelectable && html`<th class="box"><span class="unseen">Selected</span><label hidden><input type="checkbox" data-all aria-label="Select all on this page"></label></th>`}
      <th class="status">Status</th><th>Event</th>${!isNarrow && html`<th class="consumer wide">Consumer</th><th class="num wide">Retries</th>`}<th class="num">${isByFailure ? 'Failed' : 'Captured'}</th>
    </tr></thead>
    <tbody>${events.map((event) => eventRow(event, look))}</tbody>
  </table>`;
}

function eventRow(event: EventSummary, look: Look): Html {
  const { now, isSelectable = false, isByFailure = false, isNarrow = false } = look;
  const { id, eventType: type, errorClass: name, errorReason: reason } = event;
  return html`<tr data-row>
    ${isSelectable && html`<td class="box"><input type="checkbox" name="id" value="${id}" aria-label="Select event ${id}"></td>`}
    <td class="status">${status(event.status)}</td>
    <td><div class="what"><a class="title" href="events/${id}">${type}</a>
      <span class="why clip">${name && html`<b>${name}</b> `}${reason}</span></div></td>
    ${
      !isNarrow &&
      html`<td class="wide clip">${nameConsumer(event)}</td>
    <td class="num wide">${event.retryCount > 0 && formatNumber(event.retryCount)}</td>`
    }
    <td class="num">${ago(isByFailure ? event.failedAt : event.capturedAt, now)}</td>
  </tr>`;
}

/** Who could not process it; of the name of a subscription the end tells it from others. */
function nameConsumer({ consumerGroup, sourceSubscription }: EventSummary): string | null | undefined {
  return consumerGroup ?? sourceSubscription?.split('/').at(-1);
}
