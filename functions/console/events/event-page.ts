import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { expiryOf } from '../../../shared/delivery/policy/expiry.ts';
import { findRoute, type Route } from '../../../shared/delivery/routes.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import { actions as eventActions } from '../../../shared/events/actions/actions.ts';
import { listAudit } from '../../../shared/events/audit.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { listEventAttempts } from '../../../shared/events/list-events.ts';
import { findMask } from '../../../shared/events/masking/mask-rules.ts';
import type { EventView } from '../../../shared/events/read-event.ts';
import { type WhyNotNow, whyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { readStates, type TargetState } from '../../../shared/targets/read-states.ts';
import { facts } from '../components/facts.ts';
import { ago, moment } from '../components/format.ts';
import { icon } from '../components/icon.ts';
import { editBadge, status } from '../components/marks.ts';
import { pageHead, section } from '../components/section.ts';
import { describeTarget, shortenTarget, targetLink } from '../components/target-state.ts';
import { editedSection } from '../edit/edited-section.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { isUnreachable } from '../runs/preview.ts';
import { capturesSection, readCaptures } from './captures.ts';
import { curlSection } from './curl.ts';
import { restoreForm, unmaskForm } from './event-forms.ts';
import { failureSection } from './failure.ts';
import { pubsubLink, traceLinks } from './google-links.ts';
import { headerSection } from './header-section.ts';
import { payloadSection } from './payload.ts';
import { maxSearched } from './payload-find.ts';
import { timeline } from './timeline.ts';
import { type MaskedEvent, readVisibleEvent, unmaskIdOf } from './visible-event.ts';

const maxEntries = 100;

/** `GET /events/:id`: one event with its payload, origin and history. */
export async function eventPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { db, routes } = deps;
  const { query, caller, now } = context;
  const event = await readVisibleEvent(deps, context, context.params.id ?? '');
  const route = findRoute(routes, event);
  const unmaskId = unmaskIdOf(context);
  const history = { eventId: event.id, before: maxBigint, max: maxEntries };
  const [captures, attempts, actions, [target], why] = await Promise.all([
    readCaptures(db, event.id, event.isMasked ? findMask(deps, event) : []),
    listEventAttempts(db, history),
    listAudit(deps, { eventId: event.id }, history),
    route ? readStates(db, [nameTarget(route.target)]) : [],
    whyNotNow({ db, routes }, event),
  ]);
  const aside = html`${status(event.status)}${editBadge(event)}<span class="muted">${event.editedFrom === null ? 'captured' : 'edited'} ${ago(event.createdAt, now)}</span>
    <button type="button" class="link small" data-copy-text="${event.id}" hidden>Copy id</button>
    <button type="button" class="link small" data-copy-text="" hidden>Copy link</button>
    ${caller.isOperator && actionLinks(event, unmaskId)}`;
  const find = (query.get('find') ?? '').slice(0, 200);
  const isCut = event.body.length < event.bytes;
  const searched =
    find !== '' && isCut ? await readVisibleEvent(deps, context, event.id, maxSearched) : event;
  const main = html`${pageHead(event.eventType, [['Events', 'events'], [event.id]], aside)}
    ${restoreForm(event, context)}${unmaskForm(event, context)}
    <div class="columns">
      <div>
        ${await editedSection(deps, event, { actions, isOperator: caller.isOperator })}
        ${failureSection(event)}
        ${capturesSection(event, captures)}
        ${payloadSection(event, { view: query.get('view'), find, searched, unmaskId })}
        ${headerSection(event, route)}
        ${curlSection(event, route)}
      </div>
      <div>
        ${section('Progress', progressFacts(event, { route, target, why, maxRetries: deps.retry.maxRetries }, now))}
        ${section('Origin', originFacts(event, deps.project))}
        ${section('History', timeline(event, attempts, actions))}
      </div>
    </div>`;
  return { title: `${event.eventType} ${event.id}`, tab: 'events', main };
}

/** The actions on one event; each opens a page that previews its effect. */
function actionLinks(event: MaskedEvent, unmaskId: string | undefined): Html | false {
  const { id, status, isMasked, isArchived } = event;
  if (isArchived) return false;
  const included =
    status === 'SUCCEEDED' ? '&includeSucceeded=on' : status === 'DISCARDED' ? '&includeDiscarded=on' : '';
  const applicable = eventActions.filter(({ allStatuses }) => allStatuses.includes(status));
  return html`<div class="actions">
    <a class="button primary" data-key="r" href="runs/new?q=id:${id}${included}">${icon('replay')}Replay…</a>
    ${!isMasked && html`<a class="button" href="events/${id}/edit${unmaskId && `?unmask=${unmaskId}`}">Edit and replay…</a>`}
    ${applicable.map(({ name, verb }) => html`<a class="button" href="events/${name}?q=id:${id}">${verb}…</a>`)}
  </div>`;
}

/** The origin of an event. */
function originFacts(event: EventView, project: string | undefined): Content {
  const { sourcePartition: partition, sourceOffset: offset } = event;
  const traced = traceLinks(event, project);
  return facts([
    ['Source', event.sourceKind],
    ['Topic', filterBy('topic', event.sourceTopic, pubsubLink(event.sourceTopic))],
    ['Partition', partition !== null && `${partition}, offset ${offset ?? 'unknown'}`],
    ['Key', filterBy('key', event.sourceKey)],
    [
      'Subscription',
      filterBy('subscription', event.sourceSubscription, pubsubLink(event.sourceSubscription)),
    ],
    ['Consumer', filterBy('group', event.consumerGroup)],
    ['Attempts at source', event.sourceAttempts],
    ['Event id', filterBy('event', event.eventId)],
    ['Trace', filterBy('trace', event.traceId, traced?.trace)],
    ['Logs', traced && outLink(traced.logs, 'Logs Explorer')],
    ['Identity', code(event.eventKey)],
    [
      'Same id as',
      event.conflictsWith && html`<a href="events/${event.conflictsWith}">event ${event.conflictsWith}</a>`,
    ],
    ['Damaged on the way', event.damaged?.join(', ')],
    ['Ignored', event.ignored?.map((path) => html`<code>${path}</code> `)],
    ['Occurred', event.occurredAt && moment(event.occurredAt)],
  ]);
}

/** Where the schedule sends an event, and the state of that target. */
type Destination = {
  readonly route: Route | undefined;
  readonly target: TargetState | undefined;
  readonly why: WhyNotNow;
  readonly maxRetries: number;
};

function describeRetries(retries: number, max: number): string {
  const used = `${formatNumber(retries)} of ${formatNumber(max)}`;
  return retries >= max ? `${used}: used up. Reopen or replay it to begin anew` : used;
}

/** The progress of an event: failures, retries, lease and route. */
function progressFacts(event: EventView, destination: Destination, now: Date): Content {
  const { route } = destination;
  const max = event.maxRetries ?? route?.policy.maxRetries ?? destination.maxRetries;
  return facts([
    ['First failed', moment(event.firstFailureAt)],
    ['Last failed', event.failureCount > 1 && moment(event.lastFailureAt)],
    ['Failed', event.failureCount > 1 && `${formatNumber(event.failureCount)} times at the consumer`],
    ['Latest failure', event.failureKind],
    ['Latest answer', event.answer !== event.errorReason && event.answer],
    ['Sent', event.deliveryCount > 0 && countOf(event.deliveryCount, 'time')],
    ['Consumer decided', describeDecision(event)],
    ['Retries', describeRetries(event.retryCount, max)],
    ['Next retry', event.status === 'PENDING' && describeNextRetry(event, destination, now)],
    [
      'Waits in',
      destination.why?.runId &&
        html`<a href="runs/${destination.why.runId}">run ${destination.why.runId}</a>`,
    ],
    ['Expires', event.status === 'PENDING' && describeExpiry(event, route, now)],
    ['Lease ends', event.leaseExpiresAt && ago(event.leaseExpiresAt, now)],
    ['Closed', event.processedAt && moment(event.processedAt)],
    ['Reopened', event.reopenedAt && event.reopenedAt > event.createdAt && moment(event.reopenedAt)],
    ['Priority', event.priority !== 0 && formatNumber(event.priority)],
    ['Target', route && code(nameTarget(route.target))],
    ['Stored in', event.isArchived && 'the archive'],
  ]);
}

/** An event is due only if nothing holds it back: no hold, no breaker, and no earlier event of its key. */
function describeNextRetry(
  { retryAfter }: EventView,
  { route, target, why }: Destination,
  now: Date,
): Content {
  if (retryAfter === null) return 'never';
  if (!route) return 'none: no route matches';
  const time = ago(retryAfter, now);
  if (!target || !isUnreachable(target)) {
    if (why?.blockedBy) {
      return html`${time}, after <a href="events/${why.blockedBy}">event ${why.blockedBy}</a> of its key`;
    }
    if (why?.reason === 'cause' || why?.reason === 'paused') {
      return html`${why.says} <a href="${targetLink(nameTarget(route.target))}">Show its target</a>`;
    }
    return html`${retryAfter <= now && 'due '}${time}`;
  }
  const link = html`<a href="${targetLink(target.target)}">${shortenTarget(target.target)}</a>`;
  return html`${time}, held: ${link} is ${target.state} ${describeTarget(target, now)}`;
}

/** When the schedule gives the event up for its age. */
function describeExpiry(event: EventView, route: Route | undefined, now: Date): Content {
  const expiry = route && expiryOf(event, route.policy);
  return expiry && (expiry < now ? 'with the next tick that claims it' : ago(expiry, now));
}

/**
 * A value as a link to all events that have it, a button that copies it, and a link to it in the Google Cloud
 * console.
 */
function filterBy(word: string, value: string | null, href?: string): Content {
  if (value === null) return null;
  const q = `${word}:${/[\s",*]/.test(value) ? JSON.stringify(value) : value}`;
  return html`<a href="events?${String(new URLSearchParams({ q }))}"><code>${value}</code></a>
    <button type="button" class="link small" data-copy-text="${value}" hidden>Copy</button>
    ${href && outLink(href, 'Open')}`;
}

function outLink(href: string, text: string): Html {
  return html`<a href="${href}" rel="noreferrer" target="_blank" class="small">${text} ↗</a>`;
}

function code(value: string | null): Content {
  return value === null ? null : html`<code>${value}</code>`;
}

/**
 * How its consumers decided to retry an event, in words. Metadata may have any values: applications write
 * their own.
 */
function describeDecision({ decided }: EventView): string | null {
  if (decided === null) return null;
  const { kind, retryAfter, maxRetries, priority, ...others } = decided;
  const after = typeof retryAfter === 'number' ? `${retryAfter} s after its failure` : print(retryAfter);
  return [
    kind !== undefined && print(kind),
    retryAfter !== undefined && `retry ${after}`,
    maxRetries !== undefined && `at most ${print(maxRetries)} retries`,
    priority !== undefined && `priority ${print(priority)}`,
    ...Object.entries(others).map(([name, value]) => `${name} ${print(value)}`),
  ]
    .filter((part) => part !== false)
    .join(', ');
}

function print(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
