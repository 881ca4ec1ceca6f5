import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { listRunEvents, outcomes, type RunEventView } from '../../../shared/replay/list-run-events.ts';
import { findRun } from '../../../shared/replay/run.ts';
import { showRun } from '../../../shared/replay/show-run.ts';
import { ago, countOf } from '../components/format.ts';
import { linkSwitch, pager } from '../components/links.ts';
import { mark, runState } from '../components/marks.ts';
import { progressBar } from '../components/progress.ts';
import { pageHead, section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { editedNotice } from '../edit/edited-run.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { runActions, runIdOf } from './run-actions.ts';
import { runFacts, runStats, type ShownRun, verifiedOutcome } from './run-facts.ts';
import { tickPage } from './tick-page.ts';

/** `GET /runs/:id?outcome=&after=`: a replay with the outcome of each event, or a tick. */
export async function runPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const [row] = await findRun(deps.db, { runId: runIdOf(context) });
  if (!row) return tickPage(deps, context);
  const run = await showRun(deps.db, row, context.now);
  const { selected, waiting } = run.progress;
  // An ended run is still watched for recurrences, at a longer interval.
  const seconds = run.state === 'running' ? 2 : 15;
  const aside = html`${runState(run)}<span class="muted">${run.requestedBy}, ${ago(run.createdAt, context.now)}</span>`;
  const main = html`<div id="live" data-live="${seconds}">
    ${pageHead(run.reason ?? `Replay of ${countOf(selected, 'event')}`, [['Runs', 'runs'], [run.id]], aside)}
    ${run.state === 'paused' && html`<p class="warning" role="status"><b>Paused.</b> ${run.pausedBecause}</p>`}
    ${await editedNotice(deps, run)}
    ${progressBar(run.progress)}
    ${runStats(run, context.now)}
    </div>
    <div id="live-actions" data-live="${seconds}">${run.state !== 'ended' && waiting > 0 && context.caller.isOperator && runActions(run, context)}</div>
    <div class="columns" id="live-outcome" data-live="${seconds}">
      <div>${await runEvents(deps, run.id, context.query)}</div>
      <div>${verifiedOutcome(run)}${runFacts(run, eventsLink(run))}</div>
    </div>`;
  return { title: `Run ${run.id}`, tab: 'runs', main };
}

function eventsLink({ request }: ShownRun): Html {
  const text = printFilterText(request.filter);
  return html`<a href="${searchLink(text)}">${text === '' ? 'all events' : text}</a>`;
}

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
async function runEvents(deps: ConsoleDeps, runId: string, query: URLSearchParams): Promise<Html> {
  const tab = query.get('outcome') ?? '';
  const outcome = outcomes.find((each) => each === tab);
  const verdict = tab === 'recurred' ? tab : undefined;
  const after = /^\d{1,18}$/.exec(query.get('after') ?? '')?.[0];
  const rows = await listRunEvents(deps, { runId, outcome, verdict, after, limit: pageSize + 1 });
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
