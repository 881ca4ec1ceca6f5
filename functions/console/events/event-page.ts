import { listAudit } from '../../../shared/audit.ts';
import { largestId } from '../../../shared/largest-id.ts';
import { findRoute } from '../../../shared/routes.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import { status } from '../parts/status.ts';
import { ago } from '../parts/time.ts';
import type { Visit } from '../visit.ts';
import { curlSection } from './curl-section.ts';
import { eventActs } from './event-acts.ts';
import { failureSection } from './failure.ts';
import { headerSection } from './headers.ts';
import { listAttempts } from './history.ts';
import { originFacts, progressFacts } from './origin.ts';
import { payloadSection } from './payload.ts';
import { restoreForm } from './restore.ts';
import { readShownEvent, revealForm, revealOf } from './reveal.ts';
import { timeline } from './timeline.ts';

const mostEntries = 100;

/** `GET /events/:id`: everything that is known about one event. */
export async function eventPage(deps: ConsoleDeps, visit: Visit): Promise<Page> {
  const { db, routes } = deps;
  const event = await readShownEvent(deps, visit, visit.params.id ?? '');
  const route = findRoute(routes, event);
  const history = { eventId: event.id, most: mostEntries };
  const [attempts, acts] = await Promise.all([
    listAttempts(db, history),
    listAudit(db, { ...history, runId: null, before: largestId }),
  ]);
  const main = html`
    <div class="head">
      <p class="crumb"><a href="events">Events</a> / ${event.id}</p>
      <h1>${event.event_type}</h1>
      ${status(event.status)}
      <span class="muted">captured ${ago(event.created_at, visit.now)}</span>
      ${visit.caller.isOperator && eventActs(event, revealOf(visit))}
    </div>
    ${restoreForm(event, visit)}${revealForm(event, visit)}
    <div class="columns">
      <div>
        ${failureSection(event)}
        ${payloadSection(event, visit.query.get('view'), revealOf(visit))}
        ${headerSection(event.headers)}
        ${curlSection(event, route)}
      </div>
      <div>
        <section aria-labelledby="progress"><h2 id="progress">Progress</h2>${progressFacts(event, route, visit.now)}</section>
        <section aria-labelledby="origin"><h2 id="origin">Where it came from</h2>${originFacts(event)}</section>
        <section aria-labelledby="history"><h2 id="history">What happened</h2>${timeline(event, attempts, acts)}</section>
      </div>
    </div>`;
  return { title: `${event.event_type} ${event.id}`, tab: 'events', main };
}
