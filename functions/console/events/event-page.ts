import { findRoute } from '../../../shared/delivery/routes.ts';
import { listAudit } from '../../../shared/events/audit.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { listEventAttempts } from '../../../shared/events/list-events.ts';
import { ago } from '../components/format.ts';
import { status } from '../components/marks.ts';
import { pageHead, section } from '../components/section.ts';
import { html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { curlSection } from './curl-section.ts';
import { eventActions } from './event-actions.ts';
import { failureSection } from './failure.ts';
import { headerSection } from './headers.ts';
import { originFacts, progressFacts } from './origin.ts';
import { payloadSection } from './payload.ts';
import { readVisibleEvent, unmaskIdOf } from './read-visible-event.ts';
import { restoreForm } from './restore-form.ts';
import { timeline } from './timeline.ts';
import { unmaskForm } from './unmask-form.ts';

const maxEntries = 100;

/** `GET /events/:id`: one event with its payload, origin and history. */
export async function eventPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { db, routes } = deps;
  const { query, caller, now } = context;
  const event = await readVisibleEvent(deps, context, context.params.id ?? '');
  const route = findRoute(routes, event);
  const unmaskId = unmaskIdOf(context);
  const history = { eventId: event.id, before: maxBigint, max: maxEntries };
  const [attempts, actions] = await Promise.all([
    listEventAttempts(db, history),
    listAudit(db, { ...history, runId: null }),
  ]);
  const aside = html`${status(event.status)}<span class="muted">captured ${ago(event.createdAt, now)}</span>
    ${caller.isOperator && eventActions(event, unmaskId)}`;
  const main = html`${pageHead(event.eventType, [['Events', 'events'], [event.id]], aside)}
    ${restoreForm(event, context)}${unmaskForm(event, context)}
    <div class="columns">
      <div>
        ${failureSection(event)}
        ${payloadSection(event, query.get('view'), unmaskId)}
        ${headerSection(event.headers)}
        ${curlSection(event, route)}
      </div>
      <div>
        ${section('Progress', progressFacts(event, route, now))}
        ${section('Origin', originFacts(event))}
        ${section('History', timeline(event, attempts, actions))}
      </div>
    </div>`;
  return { title: `${event.eventType} ${event.id}`, tab: 'events', main };
}
