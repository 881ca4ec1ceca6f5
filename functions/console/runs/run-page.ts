import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { findRun } from '../../../shared/replay/run.ts';
import { showRun } from '../../../shared/replay/show-run.ts';
import { ago, countOf } from '../components/format.ts';
import { runState } from '../components/marks.ts';
import { progressBar } from '../components/progress.ts';
import { pageHead } from '../components/section.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { runActions, runIdOf } from './run-actions.ts';
import { runEvents } from './run-events.ts';
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
    ${progressBar(run.progress)}
    ${runStats(run, context.now)}
    </div>
    <div id="live-actions" data-live="${seconds}">${run.state !== 'ended' && waiting > 0 && context.caller.isOperator && runActions(run, context)}</div>
    <div class="columns" id="live-outcome" data-live="${seconds}">
      <div>${await runEvents(deps.db, run.id, context.query)}</div>
      <div>${verifiedOutcome(run)}${runFacts(run, eventsLink(run))}</div>
    </div>`;
  return { title: `Run ${run.id}`, tab: 'runs', main };
}

function eventsLink({ request }: ShownRun): Html {
  const text = printFilterText(request.filter);
  return html`<a href="${searchLink(text)}">${text === '' ? 'all events' : text}</a>`;
}
