import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { isHidden } from '../../../shared/events/masking/mask-request.ts';
import { listRunEvents } from '../../../shared/replay/list-run-events.ts';
import { findRun, type Run } from '../../../shared/replay/run.ts';
import type { Answers } from '../../../shared/replay/run-counts.ts';
import { showRun } from '../../../shared/replay/show-run.ts';
import { ago } from '../components/format.ts';
import { icon } from '../components/icon.ts';
import { outcomeMark, runState } from '../components/marks.ts';
import { describeProgress, progressBar } from '../components/progress.ts';
import { pageHead, section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { sameChangeSection } from '../edit/same-change.ts';
import { searchLink } from '../events/search.ts';
import { readMaskedEvent } from '../events/visible-event.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { paceOf, type ReplayForm } from './replay-form.ts';
import { runActions, runIdOf } from './run-actions.ts';
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
    ${progressBar(run)}<p class="muted small">${describeProgress(run)}</p>
    ${runStats(run, context.now)}
    </div>
    <div id="live-actions" data-live="${seconds}">${context.caller.isOperator && actions(context, { run, row })}</div>
    <div id="live-same" data-live="${seconds}">${run.state === 'ended' && (await sameForOthers(deps, context, run))}</div>
    <div class="columns" id="live-outcome" data-live="${seconds}">
      <div>${throughputSection(run, row, context.now)}${answersSection(run)}${await runEvents(deps, run, context.query)}</div>
      <div>${verifiedOutcome(run)}${runFacts(run, eventsLink(run))}</div>
    </div>`;
  return { title: `Run ${run.id}`, tab: 'runs', main };
}

/** After the replay of one edited event: the same change for those that fail alike. */
async function sameForOthers(deps: ConsoleDeps, context: PageContext, run: ShownRun): Promise<Html | false> {
  if (run.progress.selected !== 1) return false;
  const [only] = await listRunEvents(deps, { runId: run.id, limit: 1 });
  return only !== undefined && sameChangeSection(deps, context, await readMaskedEvent(deps, only.id));
}

/** Why a run does not go on, and the step of its ramp. */
function statusLine({ state, pausedBecause, stall, rampStep }: ShownRun, now: Date): Html {
  return html`${state === 'paused' && html`<p class="warning" role="status"><b>Paused.</b> ${pausedBecause?.replace(/^Paused by/, 'By')}</p>`}
    ${stall && html`<p class="warning" role="status"><b>No progress</b>, the latest ${ago(stall.since, now)}. ${stall.because}</p>`}
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

/** The answers of targets in groups, failures first. */
function answersSection({ answers, progress }: ShownRun): Html | false {
  if (answers.length === 0) return false;
  const sum = answers.reduce((total, { events }) => total + events, 0);
  const note =
    sum < progress.delivered + progress.failed &&
    html`<span class="muted small">of the last ${formatNumber(sum)} deliveries</span>`;
  return section('Answers', answersTable(answers), note);
}

function answersTable(answers: Answers): Html {
  return table('answers', answers, [
    [
      'Outcome',
      'state',
      ({ outcome, reason }) =>
        outcome === 'failed'
          ? outcomeMark('failed', reason === 'target' ? 'target failed' : (reason ?? outcome))
          : outcomeMark('delivered'),
    ],
    [
      'Answer',
      'wrap',
      ({ responseStatus, error, example }) =>
        html`<b>${responseStatus ?? 'no status'}</b> ${error && html`<span class="muted small">${error}</span>`} <a class="small" href="events/${example}">such as event ${example}</a>`,
    ],
    ['Events', 'num', ({ events }) => formatNumber(events)],
  ]);
}

/**
 * The replays that may follow an ended one: of what it did not send, of what failed, of the same events. Each
 * is a preview that repeats its target and pace, and asks for a reason. The events of a run with a patch
 * are the edits, so that only the last one repeats it; and the rest of a run that was cancelled while it
 * edited them is not what it would have sent.
 */
function followUps(run: ShownRun, row: Run): Html {
  if (isHidden(run.patch)) {
    return html`<p class="hint">The patch of this replay has masked values: write it again to repeat it.</p>`;
  }
  const { failed } = run.progress;
  const isEdited = !row.edited || row.editedTo === row.selected;
  const waiting = isEdited ? run.progress.waiting : 0;
  const link = (text: string, q: string, patch: string | null = null) =>
    html`<a class="button" href="${`runs/new?${new URLSearchParams({ ...formOf(row), ...(patch !== null && { patch }), q })}`}">${icon('replay')}${text}</a>`;
  return html`<nav class="actions run-actions" aria-label="Next replay">
    ${waiting > 0 && link(`Replay the rest (${formatNumber(waiting)})`, `run:${run.id}/waiting`)}
    ${failed > 0 && link(`Replay the failed (${formatNumber(failed)})`, `run:${run.id}/failed`)}
    ${!isHidden(run.request.filter) && link('Same again', printFilterText(run.request.filter), row.patch)}
  </nav>`;
}

/** The form of a run, without its events and its reason. */
function formOf({ request, rollout }: Run): ReplayForm {
  const pace = paceOf(rollout);
  return {
    ...(pace && { pace }),
    ...(request.includeSucceeded && { includeSucceeded: 'on' }),
    ...(request.includeDiscarded && { includeDiscarded: 'on' }),
    ...(request.target !== undefined && { target: request.target }),
  };
}
