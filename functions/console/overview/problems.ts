import { atLeast, countOf, sumEvents } from '../../../shared/count-of.ts';
import { sumDepths } from '../../../shared/counts/sum-depths.ts';
import { listKnownTargets } from '../../../shared/delivery/breakers.ts';
import { readStates, type TargetState } from '../../../shared/delivery/read-states.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { findOldestOpenEvent } from '../../../shared/events/list-events.ts';
import { unresolved } from '../../../shared/groups/error-groups.ts';
import { listGroups } from '../../../shared/groups/list-groups.ts';
import { countReplayed, type ListedRun, listRuns } from '../../../shared/replay/run.ts';
import type { Backlog, Blocked } from '../../../shared/schedule/backlogs.ts';
import type { FailingCause } from '../../../shared/schedule/causes.ts';
import { type Forecast, forecast } from '../../../shared/schedule/forecast.ts';
import { type RoutedLane, readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { listTicks } from '../../../shared/schedule/ticks.ts';
import { type Blocker, countBehind, listWhyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { groupLink } from '../components/error-name.ts';
import { ago, moment } from '../components/format.ts';
import { groupPath, searchLink, targetPath } from '../components/links.ts';
import { mark } from '../components/marks.ts';
import { describeTarget, isUnreachable, linkTarget } from '../components/target-state.ts';
import { sayWhy } from '../events/event-table.ts';
import { type Content, html } from '../html.ts';
import type { ConsoleDeps } from '../page.ts';
import { expectNextTick } from '../runs/schedule.ts';
import type { Problem } from './problem-list.ts';

const maxTypes = 3;
const maxBlocked = 10_000;
const maxKeys = 3;
const lateMs = 120_000;

/** Everything that needs a person; the cause that stops most of it comes first. */
export function findProblems(progress: Progress, failingHours?: number): Problem[] {
  // A pause that ends within the hour needs nobody.
  const soon = Date.now() + 3_600_000;
  const targets = progress.targets.filter(
    (each) => each.state !== 'paused' || Number(each.pausedUntil) > soon,
  );
  const halted = progress.runs.filter(({ state }) => state === 'paused').map(pausedRun);
  return [...findWaiting({ ...progress, targets }, failingHours), ...undecidedErrors(progress), ...halted];
}

/** What the schedule does not send, as it waits for something else than its time. */
export function findWaiting(work: Work, failingHours?: number): Problem[] {
  const { forecast, lanes, isWhole, targets, ticks, blocked } = work;
  return [
    ...(forecast.paused ? [pausedSchedule(forecast.paused)] : lateTick(expectNextTick(ticks))),
    ...targets.flatMap((state) => stoppedTarget(state, forecast)),
    ...blocked,
    ...forecast.items.flatMap((item) => whatWaits(item, failingHours)),
    ...(isWhole ? [] : [manyKinds(lanes)]),
  ];
}

const waitsFor = (events: number, isExact = true) =>
  atLeast(countOf(events, 'event waits', 'events wait'), isExact);

function lateTick(expected: Date | undefined): Problem[] {
  if (expected === undefined || Date.now() - expected.getTime() < lateMs) return [];
  const says = html`A tick was expected ${ago(expected)}.`;
  return [{ kind: 'late', count: 1, says, action: ['Show the schedule', 'runs'] }];
}

function pausedSchedule({ by, reason, until }: NonNullable<Forecast['paused']>): Problem {
  const says = html`${by} paused the schedule${until && html` until ${moment(until)}`}: ${reason}.`;
  return { kind: 'unscheduled', count: 1, says, action: ['Resume…', 'runs'] };
}

function stoppedTarget(target: TargetState, { items, paused }: Forecast): Problem[] {
  const { state, target: name } = target;
  if (!isUnreachable(target)) return [];
  const item = items.find((each) => each.target === name);
  const kind = state === 'held' || state === 'paused' ? state : 'down';
  const why = describeTarget(target, paused, !!item?.due);
  const says = html`${linkTarget(name)} is ${kind}: ${why}. ${item && `${waitsFor(item.waiting, item.isWaitingExact)}.`}`;
  const actions = { held: 'Release…', paused: 'Show it…', down: 'Probe…' };
  return [{ kind, count: 1, says, action: [actions[kind], targetPath(name)] }];
}

/** The events that most others of their key wait for: of more keys, or of a part of all events, these are some. */
export async function listBlockedKeys(deps: ConsoleDeps, backlogs: readonly Blocked[]) {
  const ids = [...new Set(backlogs.flatMap(({ blockers }) => blockers))];
  const blockers = ids.length > 0 ? await countBehind(deps.db, { ids: ids.slice(0, 10 * maxKeys) }) : [];
  const why = await listWhyNotNow(deps, blockers);
  const isWhole = ids.length <= maxKeys && backlogs.every((each) => each.isExact || !each.blockers.length);
  return blockers.slice(0, maxKeys).map((each) => {
    return blockedKey(each, sayWhy(each, why.get(each.id) ?? null, deps.routes), isWhole);
  });
}

function blockedKey({ id, eventType, key, events }: Blocker, why: Content, isWhole: boolean): Problem {
  const [count, isExact] = [Math.min(events, maxBlocked), isWhole && events <= maxBlocked];
  const first = html`${eventType} <a href="events/${id}">${id}</a>${key !== null && html` (key ${key})`}`;
  const says = html`${waitsFor(count, events <= maxBlocked)} behind ${first}. ${why}`;
  return { kind: 'blocked', count, isExact, says, action: ['Open it…', `events/${id}`] };
}

/** What failed permanently needs a decision, but for what an open replay has selected. */
function undecidedErrors({ undecided, depths, replayed }: Progress): Problem[] {
  const lines = undecided.map((group): Problem => {
    const own = replayed.filter(({ fingerprint }) => group.members.includes(fingerprint ?? ''));
    const count = group.failedPermanently - sumEvents(own);
    const says = html`${countOf(count, 'event')} failed permanently: ${groupLink(group)}`;
    return { kind: 'undecided', count, says, action: ['Decide…', groupPath(group.fingerprint)] };
  });
  const named = lines.filter(({ count }) => count > 0);
  const selected = sumEvents(replayed);
  const rest = named.reduce((left, { count }) => left - count, depths.failed - selected);
  const others = `${countOf(rest, named.length > 0 ? 'other event' : 'event')} failed permanently.`;
  const show = ['Show them', searchLink('status:FAILED_PERMANENTLY')] as const;
  const waiting = `${countOf(selected, 'event')} failed permanently, and an open replay has selected them.`;
  const all: Problem[] = [
    ...named,
    { kind: 'undecided', count: rest, says: others, action: show },
    { kind: 'replayed', count: selected, says: waiting, action: ['Show replays', 'runs'] },
  ];
  return all.filter(({ count }) => count > 0);
}

/** Of a target what fails by itself there, and of no target what needs a route. */
function whatWaits(item: Backlog, failingHours?: number): Problem[] {
  const { target, waiting: count, isWaitingExact: isExact, causes } = item;
  if (target !== null) return listFailing({ target, causes }, failingHours);
  const says = `${waitsFor(count, isExact)} without a route.`;
  return [{ kind: 'no-route', count, isExact, says, action: ['Make a route…', 'targets#without-a-route'] }];
}

type Failing = { readonly target: string; readonly causes: readonly FailingCause[] };

/** What fails by itself at a target that takes other events; after so many hours an operator has to decide. */
export function listFailing({ target, causes }: Failing, failingHours = Infinity): Problem[] {
  return causes.map(({ answer, waiting: count, isWaitingExact: isExact, since, sampledAt, nextSampleAt }) => {
    const isOld = Date.now() - since.getTime() > failingHours * 3_600_000;
    const whose = count === 1 ? 'its' : 'their';
    const next = nextSampleAt && nextSampleAt > new Date() ? ago(nextSampleAt) : 'with the next tick';
    const says = html`${isOld && mark('needs review')}
      ${waitsFor(count, isExact)}: ${whose} cause fails by itself at ${linkTarget(target)}: ${answer ?? 'no answer'}.
      It began ${ago(since)}, the last sample failed ${ago(sampledAt)}, the next one goes ${next}.
      Mend the consumer, edit one, replay now, or discard.`;
    const action = ['Show it…', targetPath(target)] as const;
    return { kind: isOld ? 'review' : 'failing', count, isExact, says, action };
  });
}

/** An id in the event type makes each event a kind of its own. */
function manyKinds(lanes: readonly RoutedLane[]): Problem {
  const { length: count } = lanes;
  const shown = lanes.slice(0, maxTypes).map(({ eventType }) => eventType.slice(0, 100));
  const says = `More than ${countOf(count, 'kind')} of events wait, such as ${shown.join(', ')}: pages and metrics count a part of them. Keep ids out of event types.`;
  return { kind: 'many', count, isExact: false, says, action: ['Show them', searchLink('status:PENDING')] };
}

function pausedRun({ id, reason, pausedBecause }: ListedRun): Problem {
  const says = html`Replay ${id}${reason !== null && html` (${reason})`} is paused. ${pausedBecause}`;
  return { kind: 'halted', count: 1, says, action: ['Open it…', `runs/${id}`] };
}

const maxRuns = 5;
const maxErrors = 3;
/** Of waiting events of open replays: more of them count as undecided. */
const maxReplayed = 5000;

/** How far schedule, replays and targets are, and what waits for something else than its time. */
export type Progress = Awaited<ReturnType<typeof readProgress>>;

/** Reads all that does not go on by itself, each part beside the others. */
export async function readProgress(deps: ConsoleDeps, now: Date) {
  const open = listRuns(deps, { limit: maxRuns, isOpen: true });
  const [depths, work, runs] = await Promise.all([readUndecided(deps, now), readWork(deps), open]);
  return { ...depths, ...work, runs };
}

type Work = Awaited<ReturnType<typeof readWork>>;

/** Reads how far the schedule is, and what waits for it. */
export async function readWork(deps: ConsoleDeps) {
  const { db, routes } = deps;
  const snapshot = await readSnapshot(deps);
  const { breakers, lanes, isWhole } = snapshot;
  const [next, targets, ticks] = await Promise.all([
    forecast(deps, snapshot),
    readStates(db, listKnownTargets(routes, breakers), breakers),
    listTicks(db, { before: maxBigint, limit: 6 }),
  ]);
  const blocked = await listBlockedKeys(deps, next.items);
  return { lanes, isWhole, forecast: next, targets, ticks, blocked };
}

async function readUndecided({ db }: ConsoleDeps, until: Date) {
  const [[counted], [oldest]] = await Promise.all([sumDepths(db, {}), findOldestOpenEvent(db, {})]);
  const { pending = 0, processing = 0, failedPermanently: failed = 0 } = counted ?? {};
  const worst = { states: unresolved, order: 'permanent', until, limit: maxErrors } as const;
  const [undecided, replayed] =
    failed === 0
      ? [[], []]
      : await Promise.all([listGroups(db, worst), countReplayed(db, { max: maxReplayed })]);
  return { depths: { open: pending + processing, failed, oldest }, undecided, replayed };
}
