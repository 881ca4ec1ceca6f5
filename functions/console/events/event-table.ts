import { formatNumber } from '../../../shared/count-of.ts';
import type { Route } from '../../../shared/delivery/routes.ts';
import type { EventSummary } from '../../../shared/events/event-columns.ts';
import { splitMessage } from '../../../shared/fingerprint/normalize-message.ts';
import type { WhyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { failureName } from '../components/error-name.ts';
import { ago } from '../components/format.ts';
import { editBadge, status } from '../components/marks.ts';
import { type Column, checkboxColumn, foldedTable, foldSome, showAll } from '../components/table.ts';
import { whyCell } from '../components/why.ts';
import { type Html, html } from '../html.ts';

type TableOptions = {
  /** Whether each row has a checkbox. */
  readonly isSelectable?: boolean;
  /** Whether the list is sorted by failure time, and shows it; otherwise by capture time. */
  readonly isByFailure?: boolean;
  /** Whether to omit the columns that do not fit into a column of a page. */
  readonly isNarrow?: boolean;
  /** Whether all have the same error: rows then have what differs. */
  readonly isOneError?: boolean;
  /** Why events are not sent now, by their ids, and the routes by which. */
  readonly why?: ReadonlyMap<string, NonNullable<WhyNotNow>> | undefined;
  readonly routes?: readonly Route[];
};

/** A table of events with their errors. */
export function eventTable(events: readonly EventSummary[], options: TableOptions): Html {
  const { why, routes = [], isSelectable, isByFailure, isNarrow, isOneError = false } = options;
  const waitsFor = (event: EventSummary) => why && whyCell(event, why.get(event.id) ?? null, routes);
  const known = [...(isNarrow ? [] : wideColumns), ['Waits for', 'waits', waitsFor] as const];
  const time = why ? 'num wide-only' : 'num';
  const columns: readonly Column<EventSummary>[] = [
    ...(isSelectable ? [checkboxes] : []),
    ['Status', 'status', (event) => status(event.status)],
    ['Event', '', (event) => nameEvent(event, isOneError)],
    ...known.filter(([, , cell]) => events.some(cell)),
    isByFailure
      ? ['Failed', time, ({ failedAt }) => ago(failedAt)]
      : ['Captured', time, ({ capturedAt }) => ago(capturedAt)],
  ];
  return foldedTable('events', isNarrow ? showAll(events) : foldSome(events, sayAlike), columns);
}

/** Columns that an event of most lists has. */
const wideColumns: readonly Column<EventSummary>[] = [
  ['Key', 'key wide-only truncate', ({ key }) => key],
  ['Consumer', 'consumer wide-only truncate', nameConsumer],
  [
    'Latest answer',
    'answered wide-only truncate',
    ({ answer, errorReason: said }) => answer !== said && answer,
  ],
  ['Retries', 'num wide-only', ({ retryCount }) => retryCount > 0 && formatNumber(retryCount)],
];

/** Equal for events of one error in one state. */
function sayAlike({ id, status, eventType, fingerprint, consumerGroup, editedFrom }: EventSummary): string {
  return fingerprint === null
    ? id
    : JSON.stringify([status, eventType, fingerprint, consumerGroup, editedFrom !== null]);
}

const checkboxes = checkboxColumn('id', ({ id }: EventSummary) => ({ value: id, label: `event ${id}` }));

function nameEvent(event: EventSummary, isOneError: boolean): Html {
  const { id, eventType, errorClass, errorReason, editedFrom, replacedBy } = event;
  const error = isOneError ? whatDiffers(event) : failureName({ errorClass, errorReason });
  return html`<div class="event-cell"><span class="event-name"><a class="title" href="events/${id}">${eventType}</a> <span class="muted small">${id}</span> ${editBadge({ editedFrom, replacedBy })}</span>
    <span class="error-cell truncate">${error}</span></div>`;
}

/** Key, id and the parts of the message in which events of one error differ. */
function whatDiffers({ key, eventId, errorReason }: EventSummary): string {
  const parts = splitMessage(errorReason).flatMap(({ text, normal, isCompared = text === normal }) =>
    isCompared ? [] : text,
  );
  return [...new Set([key && `key ${key}`, eventId, ...parts].filter(Boolean))].join(' · ');
}

/** The failing consumer; for a subscription, only the last path segment. */
function nameConsumer({ consumerGroup, sourceSubscription }: EventSummary): string | null | undefined {
  return consumerGroup ?? sourceSubscription?.split('/').at(-1);
}
