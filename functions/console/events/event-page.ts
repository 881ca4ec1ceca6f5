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
import { countBehind } from '../../../shared/schedule/blockers.ts';
import { whyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { facts } from '../components/facts.ts';
import { ago, moment } from '../components/format.ts';
import { icon } from '../components/icon.ts';
import { editBadge, status } from '../components/marks.ts';
import { pageHead, section } from '../components/section.ts';
import { linkTarget } from '../components/target-state.ts';
import { whyLine } from '../components/why.ts';
import { editedSection } from '../edit/edited-section.ts';
import { sameChangeSection } from '../edit/same-change.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { capturesSection, readCaptures } from './captures.ts';
import { curlSection } from './curl.ts';
import { restoreForm, unmaskForm } from './event-forms.ts';
import { failureSection } from './failure.ts';
import { pubsubLink, traceLinks } from './google-links.ts';
import { headerSection } from './header-section.ts';
import { payloadSection } from './payload.ts';
import { poisonLine } from './poison-line.ts';
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
  const [captures, attempts, actions, why, [behind]] = await Promise.all([
    readCaptures(db, event.id, event.isMasked ? findMask(deps, event) : []),
    listEventAttempts(db, history),
    listAudit(deps, { eventId: event.id }, history),
    whyNotNow({ db, routes }, event),
    route?.ordered ? countBehind(db, { ids: [event.id] }) : [],
  ]);
  const main = html`${pageHead(event.eventType, [['Events', 'events'], [event.id]], eventAside(event, context))}
    ${whyLine(event, why, { routes, now, isOperator: caller.isOperator, behind: behind?.events ?? 0 })}
    ${await poisonLine(db, route, attempts)}
    ${restoreForm(event, context)}${unmaskForm(event, context)}
    <div class="columns">
      <div>
        ${await editedSection(deps, event, { actions, isOperator: caller.isOperator })}
        ${await sameChangeSection(deps, context, event)}
        <div class="beside"><div>${failureSection(event)}
        ${capturesSection(event, captures)}</div>
        <div>${payloadSection(event, query.get('view'), unmaskId)}
        ${headerSection(event, route)}</div></div>
        ${curlSection(event, route)}
      </div>
      <div>
        ${section('Progress', progressFacts(event, { route, maxRetries: deps.retry.maxRetries }, now))}
        ${section('Origin', originFacts(event, deps.project))}
        ${section('History', timeline(event, attempts, actions))}
      </div>
    </div>`;
  return { title: `${event.eventType} ${event.id}`, tab: 'events', main };
}

/** Status, age and actions, beside the title. */
function eventAside(event: MaskedEvent, context: PageContext): Html {
  const age = html`<span class="muted">${event.editedFrom === null ? 'captured' : 'edited'} ${ago(event.createdAt, context.now)}</span>`;
  return html`${status(event.status)}${editBadge(event)}${age}
    <button type="button" class="link small" data-copy-text="${event.id}" hidden>Copy id</button>
    <button type="button" class="link small" data-copy-text="" hidden>Copy link</button>
    ${context.caller.isOperator && actionLinks(event, unmaskIdOf(context))}`;
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
    ['Identity', html`<code>${event.eventKey}</code>`],
    [
      'Same id as',
      event.conflictsWith && html`<a href="events/${event.conflictsWith}">event ${event.conflictsWith}</a>`,
    ],
    ['Damaged on the way', event.damaged?.join(', ')],
    ['Ignored', event.ignored?.map((path) => html`<code>${path}</code> `)],
    ['Occurred', event.occurredAt && moment(event.occurredAt)],
  ]);
}

/** Where the schedule sends an event, and how often. */
type Destination = { readonly route: Route | undefined; readonly maxRetries: number };

function describeRetries(retries: number, max: number): string {
  if (retries < max) return `${formatNumber(retries)} of ${formatNumber(max)}`;
  return `${formatNumber(retries)}, the limit is ${formatNumber(max)}: used up. Reopen or replay it to begin again`;
}

/** The progress of an event: failures, retries, lease and route. */
function progressFacts(event: EventView, destination: Destination, now: Date): Content {
  const { route } = destination;
  const max = event.maxRetries ?? route?.policy.maxRetries ?? destination.maxRetries;
  return facts([
    ['First failed', moment(event.firstFailedAt)],
    ['Last failed', event.failureCount > 1 && moment(event.failedAt)],
    ['Failed', event.failureCount > 1 && `${formatNumber(event.failureCount)} times at the consumer`],
    ['Latest failure', event.failureKind],
    ['Latest answer', event.answer !== event.errorReason && event.answer],
    ['Sent', event.deliveryCount > 0 && countOf(event.deliveryCount, 'time')],
    ['Consumer decided', describeDecision(event)],
    ['Retries', describeRetries(event.retryCount, max)],
    // One that is past says nothing: the line above the columns has what the event waits for.
    [
      'Next retry',
      event.status === 'PENDING' && event.retryAfter && event.retryAfter > now && ago(event.retryAfter, now),
    ],
    ['Expires', event.status === 'PENDING' && describeExpiry(event, route, now)],
    ['Lease ends', event.leaseExpiresAt && ago(event.leaseExpiresAt, now)],
    ['Closed', event.processedAt && moment(event.processedAt)],
    [
      'Reopened or restored',
      event.reopenedAt && event.reopenedAt > event.createdAt && moment(event.reopenedAt),
    ],
    ['Priority', event.priority !== 0 && formatNumber(event.priority)],
    ['Target', route && linkTarget(nameTarget(route.target))],
    ['Stored in', event.isArchived && 'the archive'],
  ]);
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
    ${href && outLink(href, 'In Google Cloud')}`;
}

function outLink(href: string, text: string): Html {
  return html`<a href="${href}" rel="noreferrer" target="_blank" class="small">${text} ↗</a>`;
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
