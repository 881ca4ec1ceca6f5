import type { EventSummary } from '../../../shared/event-pages.ts';
import { type Html, html } from '../html.ts';
import { formatNumber } from '../parts/number.ts';
import { status } from '../parts/status.ts';
import { ago } from '../parts/time.ts';

/** Events in rows, each with its error; where `isSelectable`, with a box to select it by. */
export function eventTable(
  events: readonly EventSummary[],
  { now, isSelectable }: { readonly now: Date; readonly isSelectable: boolean },
): Html {
  return html`<table class="events">
    <thead><tr>
      ${isSelectable && html`<th class="box"><span class="unseen">Selected</span><label hidden><input type="checkbox" data-all aria-label="Select all on this page"></label></th>`}
      <th class="status">Status</th><th>Event</th><th class="consumer wide">Consumer</th>
      <th class="num wide">Retries</th><th class="num">Captured</th>
    </tr></thead>
    <tbody>${events.map((event) => eventRow(event, now, isSelectable))}</tbody>
  </table>`;
}

function eventRow(event: EventSummary, now: Date, isSelectable: boolean): Html {
  const { id, eventType: type, errorClass: name, errorReason: reason } = event;
  return html`<tr data-row>
    ${isSelectable && html`<td class="box"><input type="checkbox" name="id" value="${id}" aria-label="Select event ${id}"></td>`}
    <td class="status">${status(event.status)}</td>
    <td><div class="what"><a class="title" href="events/${id}">${type}</a>
      <span class="why clip">${name && html`<b>${name}</b> `}${reason}</span></div></td>
    <td class="wide clip">${event.consumerGroup}</td>
    <td class="num wide">${event.retryCount > 0 && formatNumber(event.retryCount)}</td>
    <td class="num">${ago(event.capturedAt, now)}</td>
  </tr>`;
}
