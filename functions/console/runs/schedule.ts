import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { theSchedule } from '../../../shared/delivery/breakers.ts';
import type { Tally } from '../../../shared/delivery/tally.ts';
import { NotFoundError } from '../../../shared/errors.ts';
import { readId } from '../../../shared/events/event-id.ts';
import type { Backlog } from '../../../shared/schedule/backlogs.ts';
import type { Forecast } from '../../../shared/schedule/forecast.ts';
import { requestTick } from '../../../shared/schedule/request-tick.ts';
import { listTicks, type Tick } from '../../../shared/schedule/ticks.ts';
import { pauseSchedule, releaseHold } from '../../../shared/targets/change-hold.ts';
import { inEnvironment, postForm, reasonField, untilField } from '../components/form.ts';
import { ago, formatLeast, moment } from '../components/format.ts';
import { searchLink } from '../components/links.ts';
import { readCommand, readReason } from '../components/read-form.ts';
import { collapsible, pageHead, section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { shortenTarget } from '../components/target-state.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext, Redirect } from '../page.ts';

/** Of a target that gets no deliveries nothing is due, and one event of one that is probed, however many wait. */
const isDueExact = ({ isExact, state }: Backlog) => isExact || state !== 'open';

/** The last tick, the next one if it is known, and what it will find. */
export function scheduleLines(ticks: readonly Tick[], forecast: Forecast): Html {
  const [last] = ticks;
  // One that is late is a problem of its own.
  const next = expectNextTick(ticks);
  const lines = last
    ? html`<li><span>Last tick</span>${ago(last.startedAt)}<span class="muted small more">${describeTick(last)}</span></li>
      ${next && html`<li><span>Next tick</span><span>${next > new Date() ? '' : 'expected '}${ago(next)}</span></li>`}`
    : html`<li><span class="muted">No tick has run yet. The schedule calls <code>POST /retry</code>.</span></li>`;
  return html`<ul class="list">${lines}${forecastLines(forecast)}</ul>`;
}

/**
 * The forecast in lines. A number leads to its events if a filter finds exactly these: none excludes those that
 * within the hour then wait behind one of their key.
 */
function forecastLines(forecast: Forecast): Html {
  const { due, nextTick, maxEvents, heldBack, soon, isExact, items } = forecast;
  const dueNow = formatLeast(due, items.every(isDueExact));
  const refused = items.reduce((sum, item) => sum + item.refused, 0);
  const note = (words: string) => html`<span class="muted small more wrap">${words}</span>`;
  return html`<li><span>Due now</span><span>${due > 0 && heldBack === 0 ? html`<a href="${searchLink('due:now')}">${dueNow}</a>` : dueNow}</span>
      ${nextTick < due && note(`${formatNumber(nextTick)} in the next tick, which claims up to ${formatNumber(maxEvents ?? 0)}`)}</li>
    <li><span>Held back</span><span>${formatLeast(heldBack, isExact)}</span>
      ${refused > 0 && note(`the next tick closes ${formatLeast(refused, isExact)} that their route refuses`)}</li>
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
    id: 'run-now',
    className: 'actions',
    content: html`${reasonField(context)}${!paused && untilField('Pause until (optional)', context)}
      <button name="command" value="${paused ? 'resume' : 'pause'}">${paused ? 'Resume the schedule' : 'Pause the schedule'}</button>
      ${canRun && html`<button name="command" value="run">${inEnvironment('Run now', context)}</button>`}`,
  });
  return html`${isEnabled && form}${!canRun && !paused && html`<p class="muted small">Run now is not available here: it needs CONTINUE_TOPIC.</p>`}${collapsible('Change the time of the schedule', times)}`;
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
