import { countOf, formatNumber } from '../../../shared/count-of.ts';
import type { Database } from '../../../shared/database/database.ts';
import { readBreakers } from '../../../shared/delivery/breakers.ts';
import { expiryOf } from '../../../shared/delivery/policy/policy.ts';
import { readStates } from '../../../shared/delivery/read-states.ts';
import { findRoute, type Route } from '../../../shared/delivery/routes.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import { actions as eventActions } from '../../../shared/events/actions/actions.ts';
import { listAudit } from '../../../shared/events/audit.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { type AttemptSummary, listEventAttempts } from '../../../shared/events/list-events.ts';
import type { EventView } from '../../../shared/events/read-event.ts';
import { countBehind, whyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { ago, moment } from '../components/format.ts';
import { groupPath, link, mainReplay, replayButton, searchLink } from '../components/links.ts';
import { editBadge, mark } from '../components/marks.ts';
import { columns, facts, pageHead, section } from '../components/section.ts';
import { linkTarget } from '../components/target-state.ts';
import { editedSection, sameChangeSection } from '../edit/edits.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { errorText } from './error-text.ts';
import { otherAnswer, whyLine } from './event-table.ts';
import { headerSection, payloadSection } from './message.ts';
import { capturesSection, readCaptures, timeline } from './timeline.ts';
import {
  accessForms,
  type MaskedEvent,
  readMaskedEvent,
  readVisibleEvent,
  selectEvent,
} from './visible-event.ts';

const maxEntries = 100;

/** `GET /events/:id`: one event with its payload, origin and history. */
export async function eventPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { db, routes } = deps;
  const { isOperator } = context.caller;
  const event = await readVisibleEvent(deps, context, context.params.id ?? '');
  const route = findRoute(routes, event);
  const history = { eventId: event.id, before: maxBigint, max: maxEntries };
  const [original, edit, captures, attempts, actions, why, [behind]] = await Promise.all([
    readMaskedEvent(deps, event.editedFrom),
    readMaskedEvent(deps, event.replacedBy),
    readCaptures(db, event.id, event.mask),
    listEventAttempts(db, history),
    listAudit(deps, { eventId: event.id }, history),
    whyNotNow(deps, event),
    route?.ordered ? countBehind(db, { ids: [event.id] }) : [],
  ]);
  const error =
    event.fingerprint && html`<a href="${groupPath(event.fingerprint)}">All events with this error</a>`;
  const content = html`${await editedSection(deps, event, { actions, isOperator, original, edit })}
    ${await sameChangeSection(deps, context, { original, edit: event })}
    <div class="beside"><div>${section('Error', errorText(event), error)}${capturesSection(event, captures)}</div>
    <div>${payloadSection(event)}${headerSection(event, route)}</div></div>`;
  const side = html`${section('Progress', progressFacts(event, route, deps.retry.maxRetries))}
    ${section('Origin', originFacts(event))}
    ${section('History', timeline(event, { attempts, actions }))}`;
  const main = html`<div id="live" data-live="15">${pageHead(event.eventType, [['Events', 'events'], [event.id]], eventAside(event, context))}
    ${whyLine(event, why, { routes, isOperator, behind: behind?.events ?? 0 })}
    ${await poisonLine(db, route, attempts)}
    ${accessForms(event, context)}${columns(content, side)}</div>`;
  return { title: `${event.eventType} ${event.id}`, main };
}

function eventAside(event: MaskedEvent, context: PageContext): Html {
  return html`${mark(event.status)}${editBadge(event)}
    <span class="muted">${event.editedFrom === null ? 'captured' : 'edited'} ${ago(event.createdAt)}</span>
    <button type="button" class="link small" data-copy-text="${event.id}">Copy id</button>
    ${context.caller.isOperator && !event.isArchived && actionLinks(event)}`;
}

function actionLinks(event: MaskedEvent): Html {
  const { id, status, isMasked, unmaskId, replacedBy } = event;
  const q = selectEvent(event);
  const isInPlace = replacedBy === null;
  const applicable = eventActions.filter(({ allStatuses }) => isInPlace && allStatuses.includes(status));
  return html`<div class="actions">
    ${replayButton('Replay…', { q }, mainReplay)}
    ${!isMasked && html`<a class="button" href="events/${id}/edit${unmaskId && `?unmask=${unmaskId}`}">Edit and replay…</a>`}
    ${applicable.map(({ name, verb }) => html`<a class="button" href="${link(`events/${name}`, { q })}">${verb}…</a>`)}
  </div>`;
}

/** Deliveries without an answer that are no chance any more. */
const minCrashes = 3;
const minTaken = 0.9;

/** Names a poison pill: an event that its target never answered, while it takes the others. */
async function poisonLine(db: Database, route: Route | undefined, attempts: readonly AttemptSummary[]) {
  const crashes = attempts.filter(({ outcome }) => outcome === 'ambiguous' || outcome === 'lost').length;
  if (!route || crashes < minCrashes || attempts.some(({ outcome }) => outcome === 'delivered')) return false;
  const [state] = await readStates(db, [nameTarget(route.target)], await readBreakers(db));
  const { delivered = 0, deliveries = 0 } = state?.latest ?? {};
  const others = deliveries - crashes;
  if (others < minCrashes || delivered < minTaken * others) return false;
  return html`<p class="warning" role="status"><b>A poison pill.</b> Its target gave no answer to ${crashes} deliveries of
    this event, and took ${delivered} of the latest ${others} other deliveries. Do not send it again unedited.</p>`;
}

function originFacts(event: EventView): Content {
  const { sourcePartition: partition, sourceOffset, sourceTopic, sourceSubscription, conflictsWith } = event;
  return facts([
    ['Source', event.sourceKind],
    ['Topic', filterBy('topic', sourceTopic)],
    ['Partition', partition !== null && `${partition}, offset ${sourceOffset ?? 'unknown'}`],
    ['Key', filterBy('key', event.sourceKey)],
    ['Subscription', filterBy('subscription', sourceSubscription)],
    ['Consumer', filterBy('group', event.consumerGroup)],
    ['Attempts at source', event.sourceAttempts],
    ['Event id', filterBy('event', event.eventId)],
    ['Trace', filterBy('trace', event.traceId)],
    ['Identity', html`<code>${event.eventKey}</code>`],
    ['Same id as', conflictsWith && html`<a href="events/${conflictsWith}">event ${conflictsWith}</a>`],
    ['Damaged on the way', event.damaged?.join(', ')],
    ['Ignored', event.ignored?.map((path) => html`<code>${path}</code> `)],
    ['Occurred', event.occurredAt && moment(event.occurredAt)],
  ]);
}

function progressFacts(event: EventView, route: Route | undefined, maxRetries: number): Content {
  const { retryAfter, reopenedAt, failureCount } = event;
  const max = event.maxRetries ?? route?.policy.maxRetries ?? maxRetries;
  const isPending = event.status === 'PENDING';
  const expiry = route && expiryOf(event, route.policy);
  const now = new Date();
  const ended = event.status === 'FAILED_PERMANENTLY' ? 'Failed permanently' : 'Closed';
  return facts([
    ['First failed', moment(event.firstFailedAt)],
    ['Last failed', failureCount > 1 && moment(event.failedAt)],
    ['Failed', failureCount > 1 && `${formatNumber(failureCount)} times at the consumer`],
    ['Latest failure', event.failureKind],
    ['Latest answer', otherAnswer(event)],
    ['Sent', event.deliveryCount > 0 && countOf(event.deliveryCount, 'time')],
    ['Consumer decided', describeDecision(event)],
    ['Retries', describeRetries(event.retryCount, max)],
    // One that is past says nothing: the line above the columns has what the event waits for.
    ['Next retry', isPending && retryAfter && retryAfter > now && ago(retryAfter)],
    ['Expires', isPending && expiry && (expiry < now ? 'with the next tick that claims it' : ago(expiry))],
    ['Lease ends', event.leaseExpiresAt && ago(event.leaseExpiresAt)],
    [ended, event.processedAt && moment(event.processedAt)],
    ['Reopened or restored', reopenedAt && reopenedAt > event.createdAt && moment(reopenedAt)],
    ['Priority', event.priority !== 0 && formatNumber(event.priority)],
    ['Target', route && linkTarget(nameTarget(route.target))],
  ]);
}

function describeRetries(retries: number, max: number): string {
  if (retries < max) return `${formatNumber(retries)} of ${formatNumber(max)}`;
  return `${formatNumber(retries)}, the limit is ${formatNumber(max)}: used up. Reopen or replay it to begin again`;
}

/** A value as a link to all events that have it, with a button that copies it. */
function filterBy(word: string, value: string | null): Content {
  if (value === null) return null;
  const q = `${word}:${/[\s",*]/.test(value) ? JSON.stringify(value) : value}`;
  return html`<a href="${searchLink(q)}"><code>${value}</code></a>
    <button type="button" class="link small" data-copy-text="${value}">Copy<span class="visually-hidden"> ${word}</span></button>`;
}

/** How the consumer decided to retry an event, by the names of its report. Applications write others, too. */
function describeDecision({ decided }: EventView): string {
  const print = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return Object.entries(decided ?? {})
    .map(([name, value]) => `${name} ${print(value)}`)
    .join(', ');
}
