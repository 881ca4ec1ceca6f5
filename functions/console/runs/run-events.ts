import type { Database } from '../../../shared/database/database.ts';
import { listRunEvents, outcomes, type RunEventView } from '../../../shared/replay/list-run-events.ts';
import { linkSwitch, pager } from '../components/links.ts';
import { mark } from '../components/marks.ts';
import { section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { type Html, html } from '../html.ts';

const pageSize = 50;

const tabs = [
  ['', 'All'],
  ['waiting', 'Waiting'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
  ['skipped', 'Skipped'],
  ['recurred', 'Recurred'],
] as const;

/** One page of the events of a run, each with its outcome. */
export async function runEvents(db: Database, runId: string, query: URLSearchParams): Promise<Html> {
  const tab = query.get('outcome') ?? '';
  const outcome = outcomes.find((each) => each === tab);
  const verdict = tab === 'recurred' ? tab : undefined;
  const after = /^\d{1,18}$/.exec(query.get('after') ?? '')?.[0];
  const rows = await listRunEvents(db, { runId, outcome, verdict, after, limit: pageSize + 1 });
  const events = rows.slice(0, pageSize);
  const link = (name: string, more = '') => `runs/${runId}?outcome=${name}${more}#events`;
  const outcomeSwitch = linkSwitch('Outcome', tabs, { current: verdict ?? outcome ?? '', href: link });
  const next = rows.length > pageSize && link(tab, `&after=${events.at(-1)?.id}`);
  const table = events.length === 0 ? html`<p class="muted">No events.</p>` : eventTable(events);
  return section('Events', html`${table}${pager(next)}`, outcomeSwitch);
}

function eventTable(events: readonly RunEventView[]): Html {
  return table('run-events', events, [
    ['Outcome', 'state', outcomeMark],
    ['Event', '', describeEvent],
  ]);
}

function describeEvent({ id, eventType, explanation }: RunEventView): Html {
  return html`<a class="title" href="events/${id}">${eventType ?? 'deleted'}</a> <span class="muted small">${id}</span>
    ${explanation && html`<div class="muted small wrap">${explanation}</div>`}`;
}

function outcomeMark({ outcome, verdict, inFlight }: RunEventView): Html {
  if (verdict === 'recurred') return mark('recurred', 'bad', 'recurred');
  if (verdict === 'quiet') return mark('succeeded', 'good', 'quiet');
  if (outcome === 'delivered') return mark('succeeded', 'good', 'delivered');
  if (outcome === 'failed') return mark('failed', 'bad', 'failed');
  if (outcome === 'skipped') return mark('discarded', 'quiet', 'skipped');
  return inFlight ? mark('processing', 'busy', 'in flight') : mark('pending', 'waiting', 'waiting');
}
