import type { Database } from '../../../shared/database.ts';
import { listRunEvents, outcomes, type RunEventView } from '../../replay/runs/list-run-events.ts';
import { type Html, html } from '../html.ts';
import { mark } from '../parts/status.ts';

const pageSize = 50;

const tabs = [
  ['', 'All'],
  ['waiting', 'Waiting'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
  ['skipped', 'Skipped'],
  ['came-back', 'Came back'],
] as const;

/** What became of each event of a run, a page of them. */
export async function runEvents(db: Database, runId: string, query: URLSearchParams): Promise<Html> {
  const asked = query.get('outcome') ?? '';
  const outcome = outcomes.find((each) => each === asked);
  const verdict = asked === 'came-back' ? asked : undefined;
  const after = /^\d{1,18}$/.exec(query.get('after') ?? '')?.[0];
  const found = await listRunEvents(db, { runId, outcome, verdict, after, limit: pageSize + 1 });
  const events = found.slice(0, pageSize);
  const link = (tab: string, more = '') => `runs/${runId}?outcome=${tab}${more}#events`;
  return html`<section aria-labelledby="events">
    <div class="section-head"><h2 id="events">Events</h2><nav class="switch" aria-label="Outcome">${tabs.map(
      ([tab, words]) =>
        html`<a href="${link(tab)}"${tab === (verdict ?? outcome ?? '') && html` aria-current="true"`}>${words}</a>`,
    )}</nav></div>
    ${events.length === 0 ? html`<p class="muted">None.</p>` : eventTable(events)}
    <nav class="pager" aria-label="Pages of events">
      ${found.length > pageSize && html`<a href="${link(asked, `&after=${events.at(-1)?.id}`)}" rel="next">More</a>`}</nav>
  </section>`;
}

function eventTable(events: readonly RunEventView[]): Html {
  return html`<table class="run-events"><thead><tr><th class="state">Outcome</th><th>Event</th></tr></thead>
    <tbody>${events.map(
      (event) => html`<tr data-row><td>${outcomeMark(event)}</td>
        <td><a class="title" href="events/${event.id}">${event.eventType ?? 'gone'}</a> <span class="muted small">${event.id}</span>
        ${event.explanation && html`<div class="muted small wrap">${event.explanation}</div>`}</td></tr>`,
    )}</tbody></table>`;
}

function outcomeMark({ outcome, verdict, inFlight }: RunEventView): Html {
  if (verdict === 'came-back') return mark('returned', 'bad', 'came back');
  if (verdict === 'quiet') return mark('succeeded', 'good', 'quiet');
  if (outcome === 'delivered') return mark('succeeded', 'good', 'delivered');
  if (outcome === 'failed') return mark('failed', 'bad', 'failed');
  if (outcome === 'skipped') return mark('discarded', 'quiet', 'skipped');
  return inFlight ? mark('processing', 'busy', 'in flight') : mark('pending', 'waiting', 'waiting');
}
