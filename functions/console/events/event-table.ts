import { formatNumber } from '../../../shared/count-of.ts';
import type { EventSummary } from '../../../shared/events/list-events.ts';
import { failureName } from '../components/error-name.ts';
import { ago } from '../components/format.ts';
import { editBadge, status } from '../components/marks.ts';
import { type Column, table } from '../components/table.ts';
import { type Content, type Html, html } from '../html.ts';

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
  const { now, isSelectable = false, isByFailure = false, isNarrow = false } = options;
  const wideColumns: readonly Column<EventSummary>[] = [
    ['Key', 'key wide-only truncate', ({ key }) => key],
    ['Consumer', 'consumer wide-only truncate', nameConsumer],
    [
      'Latest answer',
      'answered wide-only truncate',
      ({ answer, errorReason }) => answer !== errorReason && answer,
    ],
    ['Retries', 'num wide-only', ({ retryCount }) => retryCount > 0 && formatNumber(retryCount)],
    ['Next retry', 'num wide-only', (event) => nextRetry(event, now)],
  ];
  return table('events', events, [
    ...(isSelectable ? [checkboxes] : []),
    ['Status', 'status', (event) => status(event.status)],
    ['Event', '', nameEvent],
    ...(isNarrow ? [] : wideColumns.filter(([, , cell]) => events.some((event) => cell(event)))),
    isByFailure
      ? ['Failed', 'num', ({ failedAt }) => ago(failedAt, now)]
      : ['Captured', 'num', ({ capturedAt }) => ago(capturedAt, now)],
  ]);
}

const checkboxes: Column<EventSummary> = [
  html`<span class="visually-hidden">Selected</span><label hidden><input type="checkbox" data-all aria-label="Select all on this page"></label>`,
  'checkbox-cell',
  ({ id }) => html`<input type="checkbox" name="id" value="${id}" aria-label="Select event ${id}">`,
];

function nameEvent({ id, eventType, errorClass, errorReason, editedFrom, replacedBy }: EventSummary): Html {
  return html`<div class="event-cell"><span class="event-name"><a class="title" href="events/${id}">${eventType}</a> <span class="muted small">${id}</span> ${editBadge({ editedFrom, replacedBy })}</span>
    <span class="error-cell truncate">${failureName({ errorClass, errorReason })}</span></div>`;
}

/**
 * The time of the next retry, at which something may still hold the event back; nothing if it is not retried.
 */
function nextRetry({ status, retryAfter }: EventSummary, now: Date): Content {
  if (status !== 'PENDING' || retryAfter === null) return null;
  return ago(retryAfter, now);
}

/** The failing consumer; for a subscription, only the last path segment. */
function nameConsumer({ consumerGroup, sourceSubscription }: EventSummary): string | null | undefined {
  return consumerGroup ?? sourceSubscription?.split('/').at(-1);
}
