import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { tryRequestWorker } from '../../../shared/delivery/worker-requests.ts';
import { readId } from '../../../shared/events/event-id.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { isHidden } from '../../../shared/events/masking/mask-request.ts';
import { listRunEvents, type RunEventView } from '../../../shared/replay/list-run-events.ts';
import { changeRun, changes, findRun, type Run } from '../../../shared/replay/run.ts';
import { showRun } from '../../../shared/replay/show-run.ts';
import { optionalReason, postForm } from '../components/form.ts';
import { ago } from '../components/format.ts';
import { linkSwitch, pager, replayButton, searchLink } from '../components/links.ts';
import { icon, mark, runState } from '../components/marks.ts';
import { readCommand } from '../components/read-form.ts';
import { pageHead, section } from '../components/section.ts';
import { foldAlike, foldedTable, table } from '../components/table.ts';
import { sameChangeSection } from '../edit/edits.ts';
import { readMaskedEvent } from '../events/visible-event.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext, Redirect } from '../page.ts';
import { runFacts, runProgress, runStats, type ShownRun, verifiedOutcome } from './run-facts.ts';
import { runIdOf, tickPage } from './schedule.ts';

/** `GET /runs/:id?outcome=&after=`: a replay with its progress, answers and events, or a tick. */
export async function runPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const [row] = await findRun(deps.db, { runId: runIdOf(context) });
  if (!row) return tickPage(deps, context);
  const run = await showRun(deps, row, context.now);
  const { id, state, reason, progress, requestedBy, createdAt } = run;
  // Deliveries in flight still arrive after a pause; an ended run is watched for recurrences.
  const isBusy = state === 'running' || progress.inFlight > 0;
  const live = (name: string) => html`id="${name}" data-live="${isBusy ? 2 : 15}"`;
  const title = reason ?? `Replay of ${countOf(progress.selected, 'event')}`;
  const patch = isHidden(run.patch) ? JSON.stringify(run.patch) : row.patch;
  const aside = html`${runState(run)}<span class="muted">${requestedBy}, ${ago(createdAt)}</span>`;
  const main = html`<div ${live('live')}>${pageHead(title, [['Runs', 'runs'], [id]], aside)}
    ${statusLine(run)}${row.edited && editingLine(row)}${runProgress(run)}${runStats(run)}</div>
    <div ${live('live-actions')}>${context.caller.isOperator && (state === 'ended' ? followUps(run, row) : runActions(run, context))}
    ${state === 'ended' && (await sameForOthers(deps, context, run))}</div>
    <div class="columns" ${live('live-outcome')}>
      <div>${answersSection(run)}${await runEvents(deps, run, context.query)}</div>
      <div>${verifiedOutcome(run)}${runFacts(run, eventsLink(run), patch)}</div>
    </div>`;
  return { title: `Run ${id}`, main };
}

async function sameForOthers(deps: ConsoleDeps, context: PageContext, run: ShownRun): Promise<Html | false> {
  if (run.progress.selected !== 1) return false;
  const [only] = await listRunEvents(deps, { runId: run.id, limit: 1 });
  const edit = await readMaskedEvent(deps, only?.id ?? null);
  const original = await readMaskedEvent(deps, edit?.editedFrom ?? null);
  return sameChangeSection(deps, context, { original, edit });
}

function statusLine({ state, pausedBecause, stall }: ShownRun): Html {
  return html`${state === 'paused' && html`<p class="warning" role="status"><b>Paused.</b> ${pausedBecause}</p>`}
    ${stall && html`<p class="warning" role="status"><b>No progress</b>, the latest ${ago(stall.since)}. ${stall.because}</p>`}`;
}

/** That a run has a patch, and how far it is edited: all of it before the first event is delivered. */
function editingLine({ editedTo, selected, requestedBy }: Run): Html {
  const far = editedTo < selected && `: ${formatNumber(editedTo)} of ${formatNumber(selected)} done`;
  return html`<p class="notice"><span class="badge">edited</span> <strong>${requestedBy}</strong> edited the messages by a patch${far}.</p>`;
}

function eventsLink({ request }: ShownRun): Content {
  const text = printFilterText(request.filter);
  const shown = text || 'all events';
  return isHidden(request.filter) ? shown : html`<a href="${searchLink(text)}">${shown}</a>`;
}

function answersSection({ answers, progress }: ShownRun): Html | false {
  if (answers.length === 0) return false;
  const sum = answers.reduce((total, { events }) => total + events, 0);
  const isPart = sum < progress.delivered + progress.failed + progress.skipped;
  const note = isPart && html`<span class="muted small">of the last ${formatNumber(sum)} events</span>`;
  const list = table('answers', answers, [
    ['Outcome', 'state', markAnswer],
    [
      'Answer',
      'wrap',
      ({ outcome, responseStatus, error, example }) =>
        html`${outcome !== 'skipped' && html`<b>${responseStatus ?? 'no status'}</b> `}<a class="small" href="events/${example}">such as event ${example}</a>${error && html`<span class="muted small">: ${error.replace(/^HTTP \d{3}: /, '')}</span>`}`,
    ],
    ['Events', 'num', ({ events }) => formatNumber(events)],
  ]);
  return section('Answers', list, note);
}

/** Skipped events were not sent: the code of the reason may be that of another outcome, such as delivered. */
function markAnswer({ outcome, reason }: ShownRun['answers'][number]): Html {
  if (outcome !== 'failed' || reason === null) return mark(outcome);
  return mark(outcome, reason === 'target' ? 'target failed' : reason);
}

/**
 * The replays that may follow an ended one: of what it did not send, and of what failed. Each is a preview
 * that repeats its target and pace, and asks for a reason. The rest of a run that was cancelled while it
 * edited its events is not what it would have sent.
 */
function followUps({ id, progress, request, rollout }: ShownRun, row: Run): Html {
  const waiting = row.edited && row.editedTo < row.selected ? 0 : progress.waiting;
  const { filter, target } = request;
  const link = (text: string, events: number, selected: Filter) => {
    const fields = { q: printFilterText(selected), pace: rollout.pace, target };
    return events > 0 && replayButton(`${text} (${formatNumber(events)})`, fields);
  };
  // Closed events are selected by their status alone, as they were by its filter.
  const status = filter.status && { status: filter.status };
  return html`<nav class="actions" aria-label="Next replay">
    ${link('Replay the rest', waiting, { run: `${id}/waiting`, ...status })}
    ${link('Replay the failed', progress.failed, { run: `${id}/failed` })}
  </nav>`;
}

function runActions(run: ShownRun, context: PageContext): Html | false {
  if (run.progress.waiting === 0) return false;
  const change =
    run.state === 'paused'
      ? html`<button name="command" value="resume">${icon('running')}Resume</button>`
      : html`<button name="command" value="pause">${icon('paused')}Pause</button>`;
  return postForm(context, {
    action: `runs/${run.id}`,
    className: 'actions',
    content: html`${optionalReason}
      ${change}<button name="command" value="cancel" class="danger">Cancel run</button>`,
  });
}

const results = {
  pause: 'is paused',
  resume: 'goes on',
  cancel: 'is cancelled: the events that waited are not sent',
} as const;

/** `POST /runs/:id {command, reason}`: pauses, resumes or cancels a run. */
export async function changeRunByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { form, caller } = context;
  const change = readCommand(form, changes);
  const id = runIdOf(context);
  const reason = form.get('reason')?.trim().slice(0, 1000) || null;
  await changeRun(deps.db, change, { runId: id, actor: caller.name, reason });
  if (change === 'resume') await tryRequestWorker(deps.retry.continueTopic, id);
  return { to: `runs/${id}`, notice: `Run ${id} ${results[change]}.` };
}

const pageSize = 50;

/** Failures first. */
const order = ['failed', 'skipped', 'waiting', 'delivered'] as const;
const tabs = [...order, 'all'] as const;
type Tab = (typeof tabs)[number];

/** One page of the events of a run: those that failed, unless all fit or another tab is chosen. */
async function runEvents(deps: ConsoleDeps, run: ShownRun, query: URLSearchParams): Promise<Html> {
  const isSmall = run.progress.selected <= pageSize;
  const tab = tabs.find((each) => each === query.get('outcome')) ?? (isSmall ? 'all' : 'failed');
  const outcome = tab === 'all' ? undefined : tab;
  const after = readId(query.get('after'));
  const rows = await listRunEvents(deps, { runId: run.id, outcome, after, limit: pageSize + 1 });
  const events = rows.slice(0, pageSize);
  const link = (name: Tab, more = '') => `runs/${run.id}?outcome=${name}${more}#events`;
  const counts = { ...run.progress, all: run.progress.selected };
  const named = tabs.map((name) => {
    const words = name === 'waiting' && run.state === 'ended' ? 'not sent' : name;
    return [link(name), `${words} ${formatNumber(counts[name])}`] as const;
  });
  const links = linkSwitch('Outcome', link(tab), named);
  const next = rows.length > pageSize && link(tab, `&after=${events.at(-1)?.id}`);
  const ordered = events.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome));
  const none = tab === 'failed' ? 'No event failed.' : 'No events.';
  const list = events.length === 0 ? html`<p class="muted">${none}</p>` : runEventTable(ordered);
  return section('Events', html`${links}${list}${pager(next, after !== undefined && link(tab))}`);
}

function runEventTable(events: readonly RunEventView[]): Html {
  const stateOf = ({ outcome, inFlight }: RunEventView) =>
    outcome === 'waiting' && inFlight ? 'in flight' : outcome;
  const said = (event: RunEventView) => JSON.stringify([stateOf(event), event.eventType, event.explanation]);
  return foldedTable('run-events', foldAlike(events, said), [
    ['Outcome', 'state', (event) => mark(stateOf(event))],
    ['Event', '', describeEvent],
  ]);
}

function describeEvent({ id, eventType, explanation }: RunEventView): Html {
  return html`<div class="event-cell"><span class="event-name"><a class="title" href="events/${id}">${eventType ?? 'deleted'}</a> <span class="muted small">${id}</span></span>
    <span class="muted wrap">${explanation}</span></div>`;
}
