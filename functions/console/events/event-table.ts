import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { findRoute, type Route } from '../../../shared/delivery/routes.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import type { EventSummary } from '../../../shared/events/event-columns.ts';
import { splitMessage } from '../../../shared/fingerprint/normalize-message.ts';
import type { Origin } from '../../../shared/message/event.ts';
import type { WhyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { failureName } from '../components/error-name.ts';
import { ago, moment } from '../components/format.ts';
import { routePath, targetPath } from '../components/links.ts';
import { editBadge, mark } from '../components/marks.ts';
import { type Column, checkboxColumn, foldAlike, foldedTable, table } from '../components/table.ts';
import { type Content, type Html, html } from '../html.ts';

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
    ['Status', 'status', (event) => mark(event.status)],
    ['Event', '', (event) => nameEvent(event, isOneError)],
    ...known.filter(([, , cell]) => events.some(cell)),
    isByFailure
      ? ['Failed', time, ({ failedAt }) => ago(failedAt)]
      : ['Captured', time, ({ capturedAt }) => ago(capturedAt)],
  ];
  if (isNarrow) return table('events', events, columns);
  return foldedTable('events', foldAlike(events, sayAlike), columns);
}

const wideColumns: readonly Column<EventSummary>[] = [
  ['Key', 'key wide-only truncate', ({ key }) => key],
  ['Consumer', 'consumer wide-only truncate', nameConsumer],
  ['Latest answer', 'answered wide-only truncate', otherAnswer],
  ['Retries', 'num wide-only', ({ retryCount }) => retryCount > 0 && formatNumber(retryCount)],
];

/** What the target answered last, unless its consumer gave that as the reason. */
export function otherAnswer({ answer, errorReason }: Pick<EventSummary, 'answer' | 'errorReason'>): Content {
  return answer !== errorReason && answer;
}

function sayAlike({ id, status, eventType, fingerprint, consumerGroup, editedFrom }: EventSummary): string {
  return fingerprint === null
    ? id
    : JSON.stringify([status, eventType, fingerprint, consumerGroup, editedFrom !== null]);
}

const checkboxes = checkboxColumn('id', ({ id }: EventSummary) => [id, `event ${id}`]);

function nameEvent(event: EventSummary, isOneError: boolean): Html {
  const { id, eventType, errorClass, errorReason, editedFrom, replacedBy } = event;
  const error = isOneError ? whatDiffers(event) : failureName({ errorClass, errorReason });
  return html`<div class="event-cell"><span class="event-name"><a class="title" href="events/${id}">${eventType}</a> <span class="muted small">${id}</span> ${editBadge({ editedFrom, replacedBy })}</span>
    <span class="error-cell">${error}</span></div>`;
}

/** Key, id and the parts of the message in which events of one error differ. */
function whatDiffers({ key, eventId, errorReason }: EventSummary): string {
  const parts = splitMessage(errorReason).flatMap(({ text, normal, isCompared = text === normal }) =>
    isCompared ? [] : text,
  );
  return [...new Set([key && `key ${key}`, eventId, ...parts].filter(Boolean))].join(' · ');
}

function nameConsumer({ consumerGroup, sourceSubscription }: EventSummary): string | null | undefined {
  return consumerGroup ?? sourceSubscription?.split('/').at(-1);
}

/** An event that waits, as its page and its row know it. */
type Waiting = Origin & Pick<EventSummary, 'id'>;

type At = { readonly event: Waiting; readonly why: NonNullable<WhyNotNow>; readonly target: string };

type Remedy = {
  /** A few words, for a row. */
  readonly short: (at: At) => Content;
  /** Added to the sentence of the reason: a name, a time. */
  readonly more?: (at: At) => Content;
  /** The one thing that an operator does about it elsewhere: the page of the event has its own actions. */
  readonly action?: (at: At) => readonly [words: string, href: string];
};

const toTarget = (words: string) => (at: At) => [words, targetPath(at.target)] as const;
const nextProbe = ({ why: { until: at } }: At) =>
  at && (at > new Date() ? html`Next probe ${ago(at)}.` : 'The next tick sends one event to probe it.');
const nextSample = ({ why }: At) =>
  why.until && why.until > new Date() ? html`Next sample ${ago(why.until)}.` : 'The next tick sends samples.';
const goesOn = ({ why: { until: at } }: At) => at && html`It goes on ${ago(at)}.`;

/** Every reason with its few words, and what helps. */
const remedies: Readonly<Record<NonNullable<WhyNotNow>['reason'], Remedy>> = {
  undecided: { short: () => 'needs a decision' },
  'in-run': {
    short: ({ why }) => html`<a href="runs/${why.runId}">in run ${why.runId}</a>`,
    action: ({ why }) => [`Open run ${why.runId}`, `runs/${why.runId}`],
  },
  leased: { short: () => 'on its way' },
  lost: { short: () => 'worker lost' },
  'no-route': {
    short: ({ event }) => html`<a href="${routePath(event)}">no route</a>`,
    action: ({ event }) => ['Make a route…', routePath(event)],
  },
  held: { short: () => 'target held', more: goesOn, action: toTarget('Release its target…') },
  down: { short: () => 'target down', more: nextProbe, action: toTarget('Probe its target…') },
  paused: { short: () => 'target paused', more: goesOn, action: toTarget('Show its target') },
  cause: { short: () => 'cause fails', more: nextSample },
  blocked: {
    short: ({ why }) => html`<a href="events/${why.blockedBy}">behind ${why.blockedBy}</a>`,
    more: ({ why }) => html`It waits for <a href="events/${why.blockedBy}">event ${why.blockedBy}</a>.`,
    action: ({ why }) => [`Go to event ${why.blockedBy}`, `events/${why.blockedBy}`],
  },
  later: {
    short: ({ why }) => why.until && ago(why.until),
    more: ({ why: { until: at } }) => at && html`Its next retry is ${ago(at)}, at ${moment(at)}.`,
  },
  'schedule-paused': {
    short: () => 'schedule paused',
    more: goesOn,
    action: () => ['Resume the schedule…', 'runs'],
  },
  expired: { short: () => 'expired' },
  permanent: { short: () => 'permanent' },
};

function placeOf(event: Waiting, why: NonNullable<WhyNotNow>, routes: readonly Route[]): At {
  const route = findRoute(routes, event);
  return { event, why, target: route ? nameTarget(route.target) : '' };
}

/** Why an event is not sent now, in one or two sentences. */
export function sayWhy(event: Waiting, why: WhyNotNow, routes: readonly Route[]): Content {
  if (why === null) return 'It is due: the next tick sends it.';
  const isAlsoInRun = why.runId !== null && why.reason !== 'in-run';
  const also = isAlsoInRun && html` <a href="runs/${why.runId}">Run ${why.runId}</a> has selected it.`;
  return html`${why.says} ${remedies[why.reason].more?.(placeOf(event, why, routes))}${also}`;
}

type Listed = Waiting & Pick<EventSummary, 'status'>;

/** What an event waits for, in a few words: due means that the next tick sends it. */
function whyCell(event: Listed, why: WhyNotNow, routes: readonly Route[]): Content {
  if (why === null) return event.status === 'PENDING' && html`<span class="busy">due</span>`;
  return html`<span title="${why.says}">${remedies[why.reason].short(placeOf(event, why, routes))}</span>`;
}

type Known = {
  readonly routes: readonly Route[];
  readonly isOperator: boolean;
  /** Open events that wait behind this one. */
  readonly behind: number;
};

/** Why an event is not sent now, what waits for it, and one button. Nothing for one that is closed. */
export function whyLine(event: Listed, why: WhyNotNow, known: Known): Html | false {
  if (event.status === 'SUCCEEDED' || event.status === 'DISCARDED') return false;
  const { routes, behind, isOperator } = known;
  const runNow = ['Run the schedule now…', 'runs#run-now'] as const;
  const [words, href] = (why ? remedies[why.reason].action?.(placeOf(event, why, routes)) : runNow) ?? [];
  const waiting =
    behind > 0 &&
    html` <b>${countOf(behind, 'event waits', 'events wait')} behind this one</b> (key order): edit and replay it, or discard it and let them go.`;
  const isPlain = behind === 0 && (why === null || why.reason === 'later' || why.reason === 'leased');
  return html`<div class="why ${isPlain ? 'notice' : 'warning'}"><p>${sayWhy(event, why, routes)}${waiting}</p>${isOperator && href && html`<a class="button" href="${href}">${words}</a>`}</div>`;
}
