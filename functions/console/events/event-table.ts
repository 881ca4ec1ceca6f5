import { formatNumber } from '../../../shared/count-of.ts';
import type { EventSummary } from '../../../shared/events/list-events.ts';
import type { WhyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { failureName } from '../components/error-name.ts';
import { ago } from '../components/format.ts';
import { editBadge, status } from '../components/marks.ts';
import { type Column, checkboxColumn, table } from '../components/table.ts';
import { type Content, type Html, html } from '../html.ts';

export type WhyById = ReadonlyMap<string, NonNullable<WhyNotNow>>;

type TableOptions = {
  readonly now: Date;
  /** Whether each row has a checkbox. */
  readonly isSelectable?: boolean;
  /** Whether the list is sorted by failure time, and shows it; otherwise by capture time. */
  readonly isByFailure?: boolean;
  /** Whether to omit the columns that do not fit into a column of a page. */
  readonly isNarrow?: boolean;
  /** Why events are not sent now, by their ids. */
  readonly why?: WhyById | undefined;
};

/** A table of events with their errors. */
export function eventTable(events: readonly EventSummary[], options: TableOptions): Html {
  const { now, why, isSelectable = false, isByFailure = false, isNarrow = false } = options;
  const wideColumns: readonly Column<EventSummary>[] = [
    ['Key', 'key wide-only truncate', ({ key }) => key],
    ['Consumer', 'consumer wide-only truncate', nameConsumer],
    [
      'Latest answer',
      'answered wide-only truncate',
      ({ answer, errorReason }) => answer !== errorReason && answer,
    ],
    ['Retries', 'num wide-only', ({ retryCount }) => retryCount > 0 && formatNumber(retryCount)],
    ['Next retry', 'num wide-only', (event) => nextRetry(event, now, why?.get(event.id))],
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

const checkboxes = checkboxColumn('id', ({ id }: EventSummary) => ({ value: id, label: `event ${id}` }));

function nameEvent({ id, eventType, errorClass, errorReason, editedFrom, replacedBy }: EventSummary): Html {
  return html`<div class="event-cell"><span class="event-name"><a class="title" href="events/${id}">${eventType}</a> <span class="muted small">${id}</span> ${editBadge({ editedFrom, replacedBy })}</span>
    <span class="error-cell truncate">${failureName({ errorClass, errorReason })}</span></div>`;
}

/** What an event waits for, beside its time. */
const waitsFor: Readonly<Partial<Record<NonNullable<WhyNotNow>['reason'], string>>> = {
  'no-route': 'no route',
  held: 'target held',
  down: 'target down',
  paused: 'target paused',
  cause: 'cause fails',
  expired: 'expired',
  permanent: 'permanent',
};

/** The time of the next retry, or what holds the event back; nothing if it is not retried. */
function nextRetry({ status, retryAfter }: EventSummary, now: Date, why?: WhyNotNow): Content {
  if (status !== 'PENDING') return null;
  if (why?.blockedBy)
    return html`<a href="events/${why.blockedBy}" title="${why.says}">behind ${why.blockedBy}</a>`;
  const words = why && waitsFor[why.reason];
  if (words !== undefined) return html`<span title="${why?.says}">${words}</span>`;
  return retryAfter && ago(retryAfter, now);
}

/** The failing consumer; for a subscription, only the last path segment. */
function nameConsumer({ consumerGroup, sourceSubscription }: EventSummary): string | null | undefined {
  return consumerGroup ?? sourceSubscription?.split('/').at(-1);
}
