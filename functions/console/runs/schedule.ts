import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { theSchedule } from '../../../shared/delivery/breakers.ts';
import type { Tally } from '../../../shared/delivery/tally.ts';
import { NotFoundError } from '../../../shared/errors.ts';
import { readId } from '../../../shared/events/event-id.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import type { Backlog } from '../../../shared/schedule/backlogs.ts';
import type { Forecast } from '../../../shared/schedule/forecast.ts';
import { requestTick } from '../../../shared/schedule/request-tick.ts';
import { listTicks, type Tick } from '../../../shared/schedule/ticks.ts';
import { pauseSchedule, releaseHold } from '../../../shared/targets/change-hold.ts';
import {
  inEnvironment,
  postForm,
  readCommand,
  readReason,
  reasonField,
  untilField,
} from '../components/form.ts';
import { ago, formatLeast, moment } from '../components/format.ts';
import { searchLink } from '../components/links.ts';
import { mark } from '../components/marks.ts';
import { collapsible, pageHead, section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { linkTarget, shortenTarget } from '../components/target-state.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext, Redirect } from '../page.ts';

/** The events that are due, those that something holds back, and those due within the hour, by target. */
export function forecastSection(forecast: Forecast, next: Date | undefined): Html {
  const { items, maxEvents, paused } = forecast;
  const time = next && html`<span class="muted small">next tick expected ${ago(next)}</span>`;
  const until = paused?.until && html` until ${moment(paused.until)}`;
  const notes = html`${paused && html`<p class="warning" role="status"><b>The schedule is paused</b> by ${paused.by}${until}: ${paused.reason}. Replays go on.</p>`}
    ${maxEvents !== null && html`<p class="muted small">A tick claims up to ${formatNumber(maxEvents)} events.</p>`}`;
  const none = html`<p class="muted">Nothing is due, and nothing becomes due within the hour.</p>`;
  const list = table('forecast', items, [
    ['Target', 'wrap', targetCell],
    ['State', 'state wrap wide-only', stateOf],
    ['Due now', 'num', (item) => timeCome(item, item.due, isDueExact(item))],
    ['Held back', 'num', (item) => timeCome(item, item.heldBack, item.isExact)],
    ['Within the hour', 'num wide-only', soonCell],
  ]);
  return section('What happens next', html`${notes}${items.length === 0 ? none : list}`, time);
}

function targetCell(item: Backlog): Html {
  const name = item.target === null ? 'no route' : linkTarget(item.target, 'title');
  const soon = item.soon > 0 && html`<div class="muted small">within the hour: ${soonCell(item)}</div>`;
  return html`${name}<div class="narrow-only">${stateOf(item)}${soon}</div>`;
}

function stateOf(item: Backlog): Html {
  const { state, because, until, due, heldBack, behindKey, refused, failing, isExact, waiting } = item;
  const open = due === 0 && heldBack > 0 ? 'held back' : 'delivers';
  const closed = { down: 'down', paused: 'paused', held: 'held' } as const;
  const names = { open, probe: 'probes', 'no-route': 'waits for a route', ...closed } as const;
  const more = [
    because,
    state === 'probe' && 'one event first, the others if it succeeds',
    state !== 'probe' && until && html`${state === 'paused' ? 'goes on' : 'next probe'} ${ago(until)}`,
    behindKey > 0 && `${formatLeast(behindKey, isExact)} behind an earlier event of their key`,
    refused > 0 && `${formatLeast(refused, isExact)} that the next tick closes, as their route refuses them`,
    failing > 0 && `${formatLeast(failing, isExact)} whose cause fails by itself`,
    !isExact && `${formatLeast(waiting, item.isWaitingExact)} waiting in all`,
  ].filter(Boolean);
  return html`${mark(names[state])}${more.map((each) => html`<div class="muted small">${each}</div>`)}`;
}

/** The filter finds all events whose time has come: a link only to as many as the number says. */
function timeCome(item: Backlog, value: number, isExact: boolean): Content {
  const isAll = value === item.due + item.heldBack;
  const q = printFilterText({ eventType: item.eventTypes, dueBefore: 'now' });
  return countLink(value, isExact, isAll && q);
}

/** Of a target that gets no deliveries nothing is due, and one event of one that is probed, however many wait. */
const isDueExact = ({ isExact, state }: Backlog) => isExact || state !== 'open';

/** The filter also finds the events that then wait behind one of their key: the number is no link to it. */
function soonCell({ eventTypes: eventType, soon, earliest, isExact }: Backlog): Html {
  const q = printFilterText({ eventType, dueAfter: 'now', dueBefore: '1h' });
  return html`${formatLeast(soon, isExact)}${earliest && html`<div class="muted small"><a href="${searchLink(q)}">first ${ago(earliest)}</a></div>`}`;
}

function countLink(value: number, isExact: boolean, q: string | false): Content {
  const shown = formatLeast(value, isExact);
  return value === 0 || q === false ? shown : html`<a href="${searchLink(q)}">${shown}</a>`;
}

/** The forecast in two lines, with links; the overview says what holds back the others. */
export function forecastLines({ due, nextTick, heldBack, soon, isExact, items }: Forecast): Html {
  const dueNow = countLink(due, items.every(isDueExact), heldBack === 0 && 'due:now');
  const rest =
    nextTick < due &&
    html`<span class="muted small more wrap">${formatNumber(nextTick)} in the next tick</span>`;
  return html`<li><span>Due now</span><span>${dueNow}</span>${rest}</li>
    <li><a href="${searchLink('due:>now due:<1h')}">Within the hour</a><span>${formatLeast(soon, isExact)}</span></li>`;
}

/** A tick with its tally for each target. Throws a NotFoundError. */
export async function tickPage({ db }: ConsoleDeps, context: PageContext): Promise<Page> {
  const id = runIdOf(context);
  const [tick] = await listTicks(db, { before: String(BigInt(id) + 1n), limit: 1 });
  if (tick?.id !== id) throw new NotFoundError(`There is no run ${(context.params.id ?? '').slice(0, 40)}`);
  const count = (of: keyof Tally) => (row: [target: string, tally: Partial<Tally>]) =>
    formatNumber(row[1][of] ?? 0);
  // On a phone the columns that decide.
  const targets = table('', Object.entries(tick.targets), [
    ['Target', 'wrap', ([target]) => shortenTarget(target)],
    ['Claimed', 'num wide-only', count('claimed')],
    ['Delivered', 'num', count('delivered')],
    ['Transient answers', 'num wide-only', count('transient')],
    ['Permanent answers', 'num wide-only', count('permanent')],
    ['Failed permanently', 'num', count('failedPermanently')],
  ]);
  const started = html`<span class="muted">${moment(tick.startedAt)}</span>`;
  const main = html`${pageHead('Scheduled retries', [['Runs', 'runs'], [id]], started)}
    <p>${describeTick(tick)}</p>${section('By target', targets)}`;
  return { title: `Run ${id}`, main };
}

/**
 * The expected start of the next tick, by the median interval of the last ones: the database does not know
 * the schedule. Undefined unless most intervals are alike, within a tenth: ticks by hand come at any time.
 * Undefined, too, while a tick runs: later calls join it.
 */
export function expectNextTick(ticks: readonly Tick[]): Date | undefined {
  const [newest] = ticks;
  if (newest?.stopped === null) return undefined;
  const [last = 0, ...earlier] = ticks.map(({ startedAt }) => startedAt.getTime());
  const gaps = earlier.map((at, i) => (ticks[i]?.startedAt.getTime() ?? at) - at).sort((a, b) => a - b);
  const usual = gaps[Math.floor(gaps.length / 2)] ?? 0;
  const alike = gaps.filter((gap) => Math.abs(gap - usual) <= usual / 10);
  return alike.length >= Math.max(2, gaps.length / 2) ? new Date(last + usual) : undefined;
}

/** The result of a tick in words. */
export function describeTick({ tally, stopped }: Tick): string {
  const { claimed = 0, delivered = 0, failedPermanently = 0 } = tally;
  if (stopped === null) return 'running';
  if (stopped === 'the schedule is paused') return stopped;
  const why = stopped === 'nothing due' ? '' : ` (${stopped})`;
  if (claimed === 0) return `nothing was due${why}`;
  const failed = failedPermanently > 0 ? `, ${countOf(failedPermanently, 'event')} failed permanently` : '';
  return `${countOf(claimed, 'event')} claimed, ${formatNumber(delivered)} delivered${failed}${why}`;
}

/** The id of a run in the address; `0`, which no run has, for anything else. */
export function runIdOf({ params }: PageContext): string {
  return readId(params.id) ?? '0';
}

/** Runs the schedule now, pauses it or resumes it, each with a reason; and how its time is changed. */
export function scheduleForm({ retry }: ConsoleDeps, context: PageContext, forecast: Forecast): Html {
  const { paused, isEnabled } = forecast;
  const canRun = retry.continueTopic !== undefined && !paused;
  const form = postForm(context, {
    action: 'runs',
    className: 'actions',
    content: html`${reasonField(context)}${!paused && untilField('Pause until (optional)', context)}
      <button name="command" value="${paused ? 'resume' : 'pause'}">${paused ? 'Resume the schedule' : 'Pause the schedule'}</button>
      ${canRun && html`<button name="command" value="run">${inEnvironment('Run now', context)}</button>`}`,
  });
  const missing = 'Run now is not available here: it needs CONTINUE_TOPIC.';
  return html`${isEnabled && form}${!canRun && !paused && html`<p class="muted small">${missing}</p>`}${collapsible('Change the time of the schedule', times)}`;
}

/** Cloud Scheduler belongs to the deployment: the console has no right to change its jobs. */
const times = html`<p class="hint">The schedule calls from outside, and the console may not change it. In a deployment set
  <code>schedule</code> of the stack, such as <code>*/15 * * * *</code>, and run <code>pulumi up</code>; until the next one
  <code>gcloud scheduler jobs update http NAME-retry --schedule='*/15 * * * *'</code> does the same. For <code>npm start</code>
  set <code>RETRY_EVERY_SECONDS</code>.</p>`;

/** `POST /runs {command, reason, until}`: requests a tick, or pauses or resumes the schedule. */
export async function changeScheduleByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { form, caller } = context;
  const { reason, until } = readReason(form);
  const command = readCommand(form, ['run', 'pause', 'resume']);
  const change = { actor: caller.name, reason };
  let undo: string | undefined;
  if (command === 'pause') undo = (await pauseSchedule(deps.db, { ...change, until })).auditId;
  else if (command === 'resume') await releaseHold(deps, { ...change, target: theSchedule });
  else await requestTick(deps, change);
  const notices = {
    run: 'A tick is requested: it starts within seconds.',
    pause: 'The schedule is paused: no tick claims an event. Replays go on.',
    resume: 'The schedule goes on. There is no undo: what is sent stays sent. Pause it again to stop.',
  };
  return { to: 'runs', notice: notices[command], undo };
}
