import type { EventSummary } from '../../../shared/events/list-events.ts';
import { ago, formatNumber } from '../components/format.ts';
import { status } from '../components/marks.ts';
import { type Html, html } from '../html.ts';

type TableOptions = {
  readonly now: Date;
  /** Whether each row has a checkbox. */
  readonly isSelectable?: boolean;
  /** Whether the list is sorted by failure time, and shows it; otherwise by capture time. */
  readonly isByFailure?: boolean;
  /** Whether to omit the columns that do not fit into a column of a page. */
  readonly isNarrow?: boolean;
};

/** A table of events with their errors. */
export function eventTable(events: readonly EventSummary[], options: TableOptions): Html {
  const { isSelectable = false, isByFailure = false, isNarrow = false } = options;
  return html`<table class="events">
    <thead><tr>
      ${isSelectable && html`<th class="checkbox-cell"><span class="visually-hidden">Selected</span><label hidden><input type="checkbox" data-all aria-label="Select all on this page"></label></th>`}
      <th class="status">Status</th><th>Event</th>${!isNarrow && html`<th class="consumer wide-only">Consumer</th><th class="num wide-only">Retries</th>`}<th class="num">${isByFailure ? 'Failed' : 'Captured'}</th>
    </tr></thead>
    <tbody>${events.map((event) => eventRow(event, options))}</tbody>
  </table>`;
}

function eventRow(event: EventSummary, options: TableOptions): Html {
  const { now, isSelectable = false, isByFailure = false, isNarrow = false } = options;
  const { id, eventType: type, errorClass: name, errorReason: reason } = event;
  return html`<tr data-row>
    ${isSelectable && html`<td class="checkbox-cell"><input type="checkbox" name="id" value="${id}" aria-label="Select event ${id}"></td>`}
    <td class="status">${status(event.status)}</td>
    <td><div class="event-cell"><a class="title" href="events/${id}">${type}</a>
      <span class="error-cell truncate">${name && html`<b>${name}</b> `}${reason}</span></div></td>
    ${
      !isNarrow &&
      html`<td class="wide-only truncate">${nameConsumer(event)}</td>
    <td class="num wide-only">${event.retryCount > 0 && formatNumber(event.retryCount)}</td>`
    }
    <td class="num">${ago(isByFailure ? event.failedAt : event.capturedAt, now)}</td>
  </tr>`;
}

/** The failing consumer; for a subscription, only the last path segment. */
function nameConsumer({ consumerGroup, sourceSubscription }: EventSummary): string | null | undefined {
  return consumerGroup ?? sourceSubscription?.split('/').at(-1);
}
