import { countOf } from '../../../shared/count-of.ts';
import type { Database } from '../../../shared/database/database.ts';
import type { TargetState } from '../../../shared/delivery/read-states.ts';
import type { Route } from '../../../shared/delivery/routes.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import { countLanes, type Lane, type LaneCount, sumCounts } from '../../../shared/schedule/lanes.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { findStop, holdTarget, releaseTarget, stopEverything } from '../../../shared/targets/change-hold.ts';
import { probeTarget } from '../../../shared/targets/probe-target.ts';
import { listTargets, showTarget } from '../../../shared/targets/show-targets.ts';
import { inEnvironment, postForm, reasonField, untilField } from '../components/form.ts';
import { ago, formatDuration, formatLeast } from '../components/format.ts';
import { link, routePath, searchLink, targetPath } from '../components/links.ts';
import { mark, type State } from '../components/marks.ts';
import { readCommand, readReason } from '../components/read-form.ts';
import { columns, countList, emptyState, pageHead, section, stat } from '../components/section.ts';
import { foldAlike, foldedTable, table } from '../components/table.ts';
import { breakable, describeTarget, linkTarget, shortenTarget } from '../components/target-state.ts';
import { actionEntry, listEntries } from '../events/timeline.ts';
import { type Html, html } from '../html.ts';
import { problemLines } from '../overview/problem-list.ts';
import { listBlockedKeys, listFailing } from '../overview/problems.ts';
import type { ConsoleDeps, Page, PageContext, Redirect } from '../page.ts';
import { describeRoute, filterOfRoute } from './route-page.ts';

const maxUnrouted = 20;

/** `GET /targets`: every target with its state, its latest answers, its routes, and what waits for it. */
export async function targetsPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { routes } = deps;
  const snapshot = await readSnapshot(deps);
  const lanes = snapshot.lanes.filter(({ route }) => !route);
  const [targets, unrouted] = await Promise.all([listTargets(deps, snapshot), countLanes(deps.db, lanes)]);
  const describe = (target: TargetState) =>
    html`${mark(target.state)}<div class="muted small wrap">${describeTarget(target, snapshot.pause)}</div>`;
  const list = table('targets', targets, [
    [
      'Target',
      'wrap',
      (target) =>
        html`${linkTarget(target.target, 'title')}<div class="narrow-only">${describe(target)}</div>${listRoutes(target, routes)}`,
    ],
    ['State', 'state wide-only', describe],
    ['Median', 'num wide-only', ({ latest }) => latest && formatDuration(latest.medianMs)],
    ['Last used', 'num wide-only', ({ lastAt }) => lastAt && ago(lastAt)],
    ['Waiting', 'num', ({ waiting, isExact }) => formatLeast(waiting, isExact)],
  ]);
  const main = html`${pageHead('Targets')}${await stopNotice(deps.db, context)}
    ${routes.length === 0 ? noRoutes : html`<div id="live" data-live="10">${list}</div>`}
    ${unrouted.length > 0 && unroutedSection(unrouted)}${routes.length > 0 && stopSection(context)}`;
  return { title: 'Targets', main };
}

function listRoutes({ target }: TargetState, routes: readonly Route[]): Html {
  const own = routes.filter((route) => nameTarget(route.target) === target);
  return html`${own.map((route) => html`<div class="muted small">${describeRoute(route, routes.indexOf(route))}</div>`)}`;
}

const noRoutes = emptyState(
  'No route is configured',
  html`<p>A route defines which events are retried, at which target and how often. Set <code>ROUTES</code>; until then events stay pending.</p>`,
);

const whatToDo = html`<span class="visually-hidden">What to do</span>`;

function unroutedSection(lanes: readonly (Lane & LaneCount)[]): Html {
  // Lanes also differ by keys and errors, which those of a route do not.
  const alike = Object.values(Object.groupBy(lanes, (lane) => routePath(lane) + lane.sourceTopic));
  const sorted = alike
    .flatMap((own = []) => own.slice(0, 1).map((one) => ({ ...one, ...sumCounts(own) })))
    .toSorted((a, b) => b.events - a.events);
  const list = table('', sorted.slice(0, maxUnrouted), [
    ['Event type', '', ({ eventType }) => html`<span class="event-name">${eventType}</span>`],
    ['Source', 'wrap wide-only', nameSource],
    ['Consumer', 'wrap wide-only', ({ consumerGroup }) => consumerGroup],
    ['Waiting', 'num', ({ events, isExact }) => formatLeast(events, isExact)],
    [whatToDo, 'waits', (lane) => html`<a href="${routePath(lane)}">Make a route…</a>`],
  ]);
  const note = html`<p class="muted">No route matches these open events. They stay pending until one does.</p>`;
  const rest = sorted.length - maxUnrouted;
  const more = rest > 0 && html`<p class="hint">and ${countOf(rest, 'other kind')} of events</p>`;
  return section('Without a route', html`${note}${list}${more}`);
}

const nameSource = ({ sourceKind: kind, sourceTopic: topic }: Lane) => (topic ? `${kind}, ${topic}` : kind);

type Target = Awaited<ReturnType<typeof showTarget>>;

/** `GET /targets/:target`: one target with its answers, its history, and what can be done about it. */
export async function targetPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const name = context.params.target ?? '';
  const snapshot = await readSnapshot(deps);
  const target = await showTarget(deps, snapshot, name);
  const blocked = await listBlockedKeys(deps, [{ ...target, isExact: target.isDueExact }]);
  const state = html`${mark(target.state)}<span class="muted wrap">${describeTarget(target, snapshot.pause)}</span>`;
  const problems = problemLines([...blocked, ...listFailing(target, deps.failingHours)], context.path);
  const live = html`<div id="live" data-live="5">${problems}${targetStats(target)}
    ${section('Latest answers', answers(target))}</div>`;
  const side = html`${context.caller.isOperator && section('Actions', actionForm(target, context))}
    ${section('Routes', routeList(deps, context, name))}${section('History', history(target))}`;
  const head = pageHead(breakable(shortenTarget(name)), [['Targets', 'targets'], [breakable(name)]], state);
  return { title: shortenTarget(name), main: html`${head}${columns(live, side)}` };
}

function targetStats({ waiting, isExact, due, heldBack, isDueExact, latest, lastAt }: Target): Html {
  const dueNote = heldBack > 0 ? `${formatLeast(heldBack, isDueExact)} held back` : 'by the schedule';
  const share = latest && `${Math.floor((100 * latest.delivered) / latest.deliveries)} %`;
  const deliveredNote = latest ? `of the latest ${latest.deliveries}` : 'nothing sent yet';
  const durationNote = latest && `95 % within ${formatDuration(latest.p95Ms)}`;
  return html`<div class="stats">${stat('Waiting', formatLeast(waiting, isExact), { note: 'open events' })}
    ${stat('Due now', formatLeast(due, isDueExact), { note: dueNote })}
    ${stat('Delivered', share ?? '–', { note: deliveredNote })}
    ${stat('Duration', latest ? formatDuration(latest.medianMs) : '–', { note: durationNote })}
    ${stat('Last used', lastAt ? ago(lastAt) : 'never')}</div>`;
}

function actionForm({ target, state }: Target, context: PageContext): Html {
  const [command, effect] =
    state === 'held'
      ? ['Release', 'the next tick delivers again. Instead of an undo, hold it again.']
      : ['Hold', 'nothing is delivered on schedule until you release it.'];
  const until = command === 'Hold' && untilField('Hold until (optional)', context);
  return postForm(context, {
    action: targetPath(target),
    content: html`${reasonField(context)}${until}
      <div class="actions"><button name="command" value="probe">Probe now</button><button name="command" value="${command.toLowerCase()}">${command}</button></div>
      <p class="hint">Probe: sends an event that was not tried before, if there is one; a good answer closes the breaker. ${command}: ${effect}</p>`,
  });
}

function answers({ answers }: Target): Html {
  if (answers.length === 0) return html`<p class="muted">Nothing was sent to this target yet.</p>`;
  const alike = ({ outcome, responseStatus, answer }: Target['answers'][number]) =>
    JSON.stringify([outcome, responseStatus, answer]);
  return foldedTable('answers', foldAlike(answers, alike), [
    ['Outcome', 'state', ({ outcome }) => mark(outcome as State)],
    [
      'Answer',
      'wrap',
      ({ eventId, responseStatus, answer }) =>
        html`${responseStatus} <span class="muted small">${answer?.replace(/^HTTP \d{3}: /, '')}</span> <a class="small" href="events/${eventId}">event ${eventId}</a>`,
    ],
    ['Duration', 'num wide-only', ({ durationMs }) => formatDuration(durationMs)],
    ['Sent', 'num', ({ startedAt }) => ago(startedAt)],
  ]);
}

function routeList({ routes }: ConsoleDeps, { caller }: PageContext, name: string): Html {
  const own = routes.filter(({ target }) => nameTarget(target) === name);
  const lines = own.map((route) => {
    const q = `${filterOfRoute(route)} status:PENDING,FAILED_PERMANENTLY`.trim();
    const replay = caller.isOperator && html` · <a href="${link('runs/new', { q })}">Replay…</a>`;
    const links = html`<a href="${searchLink(q)}">Events</a>${replay}`;
    return [describeRoute(route, routes.indexOf(route)), links] as const;
  });
  return countList(lines);
}

const words = { down: 'was down', up: 'was up again', held: 'held it', released: 'released it' } as const;

function history({ changes }: Target): Html {
  if (changes.length === 0) return html`<p class="muted">It was never down, and never held.</p>`;
  const lines = changes.map(({ at, change, actor, reason }) =>
    actionEntry(at, html`<strong>${actor ?? 'The target'}</strong> ${words[change]}`, reason),
  );
  return listEntries(lines);
}

/** `POST /targets/:target {command, reason}`: probes, holds or releases a target. */
export async function changeTargetByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { params, form, caller } = context;
  const { reason, until } = readReason(form);
  const command = readCommand(form, ['probe', 'hold', 'release']);
  const change = { target: params.target ?? '', actor: caller.name, reason };
  if (command === 'probe') return { to: `runs/${(await probeTarget(deps, change)).id}` };
  let undo: string | undefined;
  if (command === 'hold') undo = (await holdTarget(deps, { ...change, until })).auditId;
  else await releaseTarget(deps, change);
  const released =
    'The target is released. There is no undo: what is sent stays sent. Hold it again to stop.';
  const notice = command === 'hold' ? 'The target is held.' : released;
  return { to: targetPath(change.target), notice, undo };
}

/** `POST /targets {reason, until}`: stops all deliveries. */
export async function stopByForm(deps: ConsoleDeps, { form, caller }: PageContext): Promise<Redirect> {
  const { auditId: undo } = await stopEverything(deps, { ...readReason(form), actor: caller.name });
  return { to: 'targets', notice: 'All deliveries are stopped.', undo };
}

/** Says that everything is stopped, by whom, since when and why, with the way back. */
export async function stopNotice(db: Database, { caller }: PageContext): Promise<Html | false> {
  const [stop] = await findStop(db, {});
  if (!stop) return false;
  const back = caller.isOperator && html` <a href="activity/${stop.id}/undo">Start again…</a>`;
  return html`<p class="warning" role="status"><b>All deliveries are stopped</b> by ${stop.actor}, ${ago(stop.at)}: ${stop.reason}.${back}</p>`;
}

/** The form that stops everything. */
function stopSection(context: PageContext): Html | false {
  const content = html`${reasonField(context)}${untilField('Until (optional)', context)}
    <div class="actions"><button class="danger">${inEnvironment('Stop all deliveries', context)}</button></div>
    <p class="hint">Holds every target and pauses every replay. Deliveries in flight end; captures go on.</p>`;
  const form = postForm(context, { action: 'targets', content });
  return context.caller.isOperator && section('Stop everything', form);
}
