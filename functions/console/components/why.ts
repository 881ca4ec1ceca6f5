import { countOf } from '../../../shared/count-of.ts';
import { findRoute, type Route } from '../../../shared/delivery/routes.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import type { Origin, Status } from '../../../shared/message/event.ts';
import type { WhyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { type Content, type Html, html } from '../html.ts';
import { ago, moment } from './format.ts';
import { targetLink } from './target-state.ts';

type Reason = NonNullable<WhyNotNow>['reason'];

/** An event that waits, as its page and its row know it. */
export type Waiting = Origin & {
  readonly id: string;
  readonly status: Status;
  readonly retryAfter: Date | null;
  /** Whether fields are masked: it cannot be edited then. */
  readonly isMasked?: boolean;
};

type At = { readonly event: Waiting; readonly why: NonNullable<WhyNotNow>; readonly target: string };

type Remedy = {
  /** A few words, for a row. */
  readonly short: (at: At) => Content;
  /** What is added to the sentence of the reason: a name, a time. */
  readonly more?: (at: At) => Content;
  /** The one thing that an operator does about it. */
  readonly action?: (at: At) => readonly [words: string, href: string];
};

const toTarget =
  (words: string) =>
  ({ target }: At) =>
    [words, targetLink(target)] as const;
const replay = ({ event }: At) => ['Replay…', `runs/new?q=id:${event.id}`] as const;
const edit = (words: string) => (at: At) =>
  at.event.isMasked ? replay(at) : ([words, `events/${at.event.id}/edit`] as const);
const until = ({ why }: At) => why.until && html`Next probe ${ago(why.until)}.`;

/** Every reason with its few words, and what helps. */
const remedies: Readonly<Record<Reason, Remedy>> = {
  undecided: { short: () => 'needs a decision', action: edit('Edit and replay…') },
  'in-run': {
    short: ({ why }) => html`<a href="runs/${why.runId}">in run ${why.runId}</a>`,
    action: ({ why }) => [`Open run ${why.runId}`, `runs/${why.runId}`],
  },
  leased: { short: () => 'on its way' },
  'no-route': {
    short: ({ event }) => html`<a href="${routeFormLink(event)}">no route</a>`,
    action: ({ event }) => ['Make a route…', routeFormLink(event)],
  },
  held: { short: () => 'target held', action: toTarget('Release its target…') },
  down: { short: () => 'target down', more: until, action: toTarget('Probe its target…') },
  paused: { short: () => 'target paused', more: until, action: toTarget('Show its target') },
  cause: { short: () => 'cause fails', action: edit('Edit one and replay…') },
  blocked: {
    short: ({ why }) => html`<a href="events/${why.blockedBy}">behind ${why.blockedBy}</a>`,
    more: ({ why }) => html`It waits for <a href="events/${why.blockedBy}">event ${why.blockedBy}</a>.`,
    action: ({ why }) => [`Go to event ${why.blockedBy}`, `events/${why.blockedBy}`],
  },
  later: {
    short: ({ event }) => event.retryAfter && ago(event.retryAfter),
    more: ({ event: { retryAfter: at } }) => at && html`Its next retry is ${ago(at)}, at ${moment(at)}.`,
    action: replay,
  },
  'schedule-paused': { short: () => 'schedule paused', action: () => ['Resume the schedule…', 'runs'] },
  expired: { short: () => 'expired', action: replay },
  permanent: { short: () => 'permanent', action: replay },
};

/** The form for a route that matches an event. */
export function routeFormLink({ eventType, consumerGroup }: Origin): string {
  const match = { eventType, ...(consumerGroup && { consumerGroup }) };
  return `targets/route?${new URLSearchParams(match)}`;
}

function placeOf(event: Waiting, why: NonNullable<WhyNotNow>, routes: readonly Route[]): At {
  const route = findRoute(routes, event);
  return { event, why, target: route ? nameTarget(route.target) : '' };
}

/** What an event waits for, in a few words: due means that the next tick sends it. */
export function whyCell(event: Waiting, why: WhyNotNow, routes: readonly Route[]): Content {
  if (event.status !== 'PENDING' && event.status !== 'FAILED_PERMANENTLY') return null;
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
export function whyLine(event: Waiting, why: WhyNotNow, known: Known): Html | false {
  if (event.status === 'SUCCEEDED' || event.status === 'DISCARDED') return false;
  const { routes, behind, isOperator } = known;
  const at = why && placeOf(event, why, routes);
  const remedy = why && remedies[why.reason];
  const [words, href] = (at ? remedy?.action?.(at) : ['Run the schedule now…', 'runs#run-now']) ?? [];
  const says = why === null ? 'It is due: the next tick sends it.' : why.says;
  const waiting =
    behind > 0 &&
    html` <b>${countOf(behind, 'event waits', 'events wait')} behind this one</b> (key order): edit and replay it, or discard it and let them go.`;
  const isPlain = behind === 0 && (why === null || why.reason === 'later' || why.reason === 'leased');
  return html`<div class="why ${isPlain ? 'notice' : 'warning'}"><p>${says} ${at && remedy?.more?.(at)}${waiting}</p>${isOperator && href && html`<a class="button" href="${href}">${words}</a>`}</div>`;
}
