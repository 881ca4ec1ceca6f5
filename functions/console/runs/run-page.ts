import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { isHidden } from '../../../shared/events/masking/mask-request.ts';
import { findRun, type Run } from '../../../shared/replay/run.ts';
import { showRun } from '../../../shared/replay/show-run.ts';
import { ago } from '../components/format.ts';
import { runState } from '../components/marks.ts';
import { progressBar } from '../components/progress.ts';
import { pageHead } from '../components/section.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { followUps } from './follow-ups.ts';
import { runActions, runIdOf } from './run-actions.ts';
import { answersSection } from './run-answers.ts';
import { runEvents } from './run-events-section.ts';
import { runFacts, runStats, type ShownRun, verifiedOutcome } from './run-facts.ts';
import { throughputSection } from './throughput.ts';
import { tickPage } from './tick-page.ts';

/**
 * `GET /runs/:id?outcome=&after=`: a replay with its progress, its answers and the outcome of each event, or
 * a tick.
 */
export async function runPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const [row] = await findRun(deps.db, { runId: runIdOf(context) });
  if (!row) return tickPage(deps, context);
  const run = await showRun(deps, row, context.now);
  // An ended run is still watched for recurrences, at a longer interval.
  const seconds = run.state === 'running' ? 2 : 15;
  const aside = html`${runState(run)}<span class="muted">${run.requestedBy}, ${ago(run.createdAt, context.now)}</span>`;
  const main = html`<div id="live" data-live="${seconds}">
    ${pageHead(run.reason ?? `Replay of ${countOf(run.progress.selected, 'event')}`, [['Runs', 'runs'], [run.id]], aside)}
    ${statusLine(run, context.now)}
    ${editingLine(row)}
    ${progressBar(run)}
    ${runStats(run, context.now)}
    </div>
    <div id="live-actions" data-live="${seconds}">${context.caller.isOperator && actions(context, { run, row })}</div>
    <div class="columns" id="live-outcome" data-live="${seconds}">
      <div>${throughputSection(run, row, context.now)}${answersSection(run)}${await runEvents(deps, run, context.query)}</div>
      <div>${verifiedOutcome(run)}${runFacts(run, eventsLink(run))}</div>
    </div>`;
  return { title: `Run ${run.id}`, tab: 'runs', main };
}

/** Why a run does not go on, and the step of its ramp. */
function statusLine({ state, pausedBecause, stall, rampStep }: ShownRun, now: Date): Html {
  return html`${state === 'paused' && html`<p class="warning" role="status"><b>Paused.</b> ${pausedBecause}</p>`}
    ${stall && html`<p class="warning" role="status"><b>No progress</b> since ${ago(stall.since, now)}. ${stall.because}</p>`}
    ${rampStep && html`<p class="muted">Ramp: step ${rampStep.step} of ${rampStep.of}, ${rampStep.done} of ${countOf(rampStep.deliveries, 'delivery', 'deliveries')}</p>`}`;
}

/** How far the events are edited of a run with a patch: all of them before the first is delivered. */
function editingLine({ edited, editedTo, selected, requestedBy }: Run): Html | false {
  if (!edited) return false;
  const progress =
    editedTo < selected ? `${formatNumber(editedTo)} of ${formatNumber(selected)}` : formatNumber(selected);
  return html`<p class="notice"><span class="badge">edited</span> <strong>${requestedBy}</strong> edited the messages by a patch: ${progress} done.</p>`;
}

/** The changes of a run that has not ended, and the replays that may follow one that has. */
function actions(
  context: PageContext,
  { run, row }: { readonly run: ShownRun; readonly row: Run },
): Html | false {
  if (run.state !== 'ended') return run.progress.waiting > 0 && runActions(run, context);
  return followUps(run, row);
}

function eventsLink({ request }: ShownRun): Html {
  const text = printFilterText(request.filter);
  const shown = text === '' ? 'all events' : text;
  return isHidden(request.filter) ? html`${shown}` : html`<a href="${searchLink(text)}">${shown}</a>`;
}
