import { printFilterText } from '../../../shared/filter/print-filter-text.ts';
import { findRun } from '../../replay/runs/run.ts';
import { showRun } from '../../replay/runs/show-run.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../layout.ts';
import { countOf } from '../parts/number.ts';
import { ago } from '../parts/time.ts';
import type { Visit } from '../visit.ts';
import { progressBar } from './progress.ts';
import { runActs } from './run-acts.ts';
import { runEvents } from './run-events.ts';
import { runFacts, runFigures, verifiedOutcome } from './run-facts.ts';
import { runState, type ShownRun } from './run-state.ts';
import { tickPage } from './tick-page.ts';

/** `GET /runs/:id?outcome=&after=`: a replay and what became of each of its events; or a tick. */
export async function runPage(deps: ConsoleDeps, visit: Visit): Promise<Page> {
  const id = /^[1-9]\d{0,17}$/.exec(visit.params.id ?? '')?.[0] ?? '0';
  const [row] = await findRun(deps.db, { runId: id });
  if (!row) return tickPage(deps, visit);
  const run = await showRun(deps.db, row, visit.now);
  const { selected, waiting } = run.progress;
  // Watched on for what comes back, though less eagerly.
  const seconds = run.state === 'running' ? 2 : 15;
  const main = html`<div id="live" data-live="${seconds}">
    <div class="head"><p class="crumb"><a href="runs">Runs</a> / ${run.id}</p>
      <h1>${run.reason ?? `Replay of ${countOf(selected, 'event')}`}</h1>${runState(run)}
      <span class="muted">${run.requestedBy}, ${ago(run.createdAt, visit.now)}</span></div>
    ${run.state === 'paused' && html`<p class="warning" role="status"><b>Paused.</b> ${run.pausedBecause}</p>`}
    ${progressBar(run.progress)}
    ${runFigures(run, visit.now)}
    </div>
    <div id="live-acts" data-live="${seconds}">${run.state !== 'ended' && waiting > 0 && visit.caller.isOperator && runActs(run, visit)}</div>
    <div class="columns" id="live-outcome" data-live="${seconds}">
      <div>${await runEvents(deps.db, run.id, visit.query)}</div>
      <div>${verifiedOutcome(run)}${runFacts(run, eventsLink(run))}</div>
    </div>`;
  return { title: `Run ${run.id}`, tab: 'runs', main };
}

function eventsLink({ request }: ShownRun): Html {
  const text = printFilterText(request.filter);
  return html`<a href="${searchLink(text)}">${text === '' ? 'every event' : text}</a>`;
}
