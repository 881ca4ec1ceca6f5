import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { isHidden } from '../../../shared/events/masking/mask-request.ts';
import { listRunEvents } from '../../../shared/replay/list-run-events.ts';
import { findRun, type Run } from '../../../shared/replay/run.ts';
import { showRun } from '../../../shared/replay/show-run.ts';
import { ago } from '../components/format.ts';
import { replayButton, replayPath } from '../components/links.ts';
import { outcomeMark, runState } from '../components/marks.ts';
import { runProgress } from '../components/progress.ts';
import { pageHead, section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { sameChangeSection } from '../edit/same-change.ts';
import { searchLink } from '../events/search.ts';
import { readMaskedEvent } from '../events/visible-event.ts';
import { type Content, type Html, html } from '../html.ts';
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
  const { id, state, reason, progress, requestedBy, createdAt } = run;
  // An ended run is still watched for recurrences, at a longer interval.
  const live = (name: string) => html`id="${name}" data-live="${state === 'running' ? 2 : 15}"`;
  const title = reason ?? `Replay of ${countOf(progress.selected, 'event')}`;
  const aside = html`${runState(run)}<span class="muted">${requestedBy}, ${ago(createdAt)}</span>`;
  const main = html`<div ${live('live')}>${pageHead(title, [['Runs', 'runs'], [id]], aside)}
    ${statusLine(run)}${row.edited && editingLine(row)}${runProgress(run)}${runStats(run)}</div>
    <div ${live('live-actions')}>${context.caller.isOperator && actions(context, run, row)}</div>
    <div ${live('live-same')}>${state === 'ended' && (await sameForOthers(deps, context, run))}</div>
    <div class="columns" ${live('live-outcome')}>
      <div>${throughputSection(run, row, context.now)}${answersSection(run)}${await runEvents(deps, run, context.query)}</div>
      <div>${verifiedOutcome(run)}${runFacts(run, eventsLink(run))}</div>
    </div>`;
  return { title: `Run ${id}`, tab: 'runs', main };
}

/** After the replay of one edited event: the same change for those that fail alike. */
async function sameForOthers(deps: ConsoleDeps, context: PageContext, run: ShownRun): Promise<Html | false> {
  if (run.progress.selected !== 1) return false;
  const [only] = await listRunEvents(deps, { runId: run.id, limit: 1 });
  return only !== undefined && sameChangeSection(deps, context, await readMaskedEvent(deps, only.id));
}

/** Why a run does not go on, and the step of its ramp. */
function statusLine({ state, pausedBecause, stall, rampStep }: ShownRun): Html {
  return html`${state === 'paused' && html`<p class="warning" role="status"><b>Paused.</b> ${pausedBecause?.replace(/^Paused by/, 'By')}</p>`}
    ${stall && html`<p class="warning" role="status"><b>No progress</b>, the latest ${ago(stall.since)}. ${stall.because}</p>`}
    ${rampStep && html`<p class="muted">Ramp: step ${rampStep.step} of ${rampStep.of}, ${rampStep.done} of ${countOf(rampStep.deliveries, 'delivery', 'deliveries')}</p>`}`;
}

/** How far the events are edited of a run with a patch: all of them before the first is delivered. */
function editingLine({ editedTo, selected, requestedBy }: Run): Html {
  const done = `${editedTo < selected ? `${formatNumber(editedTo)} of ` : ''}${formatNumber(selected)}`;
  return html`<p class="notice"><span class="badge">edited</span> <strong>${requestedBy}</strong> edited the messages by a patch: ${done} done.</p>`;
}

/** The changes of a run that has not ended, and the replays that may follow one that has. */
function actions(context: PageContext, run: ShownRun, row: Run): Html | false {
  if (run.state !== 'ended') return run.progress.waiting > 0 && runActions(run, context);
  return followUps(run, row);
}

function eventsLink({ request }: ShownRun): Content {
  const text = printFilterText(request.filter);
  const shown = text || 'all events';
  return isHidden(request.filter) ? shown : html`<a href="${searchLink(text)}">${shown}</a>`;
}

/** The answers of targets in groups, failures first. */
function answersSection({ answers, progress }: ShownRun): Html | false {
  if (answers.length === 0) return false;
  const sum = answers.reduce((total, { events }) => total + events, 0);
  const isPart = sum < progress.delivered + progress.failed;
  const note = isPart && html`<span class="muted small">of the last ${formatNumber(sum)} deliveries</span>`;
  const list = table('answers', answers, [
    [
      'Outcome',
      'state',
      ({ outcome, reason }) => outcomeMark(outcome, reason === 'target' ? 'target failed' : reason),
    ],
    [
      'Answer',
      'wrap',
      ({ responseStatus, error, example }) =>
        html`<b>${responseStatus ?? 'no status'}</b> <span class="muted small">${error}</span> <a class="small" href="events/${example}">such as event ${example}</a>`,
    ],
    ['Events', 'num', ({ events }) => formatNumber(events)],
  ]);
  return section('Answers', list, note);
}

/**
 * The replays that may follow an ended one: of what it did not send, of what failed, of the same events. Each
 * is a preview that repeats its target and pace, and asks for a reason. The events of a run with a patch
 * are the edits, so that only the last one repeats it; and the rest of a run that was cancelled while it
 * edited them is not what it would have sent.
 */
function followUps({ id, patch, request, progress }: ShownRun, row: Run): Html {
  if (isHidden(patch))
    return html`<p class="hint">The patch of this replay has masked values: write it again to repeat it.</p>`;
  const { failed } = progress;
  const isEdited = !row.edited || row.editedTo === row.selected;
  const waiting = isEdited ? progress.waiting : 0;
  const link = (text: string, q: string, more: ReplayForm = {}) =>
    replayButton(text, replayPath({ ...formOf(row), ...more, q }));
  const again = row.patch === null ? {} : { patch: row.patch };
  return html`<nav class="actions run-actions" aria-label="Next replay">
    ${waiting > 0 && link(`Replay the rest (${formatNumber(waiting)})`, `run:${id}/waiting`)}
    ${failed > 0 && link(`Replay the failed (${formatNumber(failed)})`, `run:${id}/failed`)}
    ${!isHidden(request.filter) && link('Same again', printFilterText(request.filter), again)}
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
