import { countOf } from '../../../shared/count-of.ts';
import type { TargetState } from '../../../shared/delivery/read-states.ts';
import type { Group } from '../../../shared/groups/error-groups.ts';
import type { ListedRun } from '../../../shared/replay/list-runs.ts';
import type { Blocker } from '../../../shared/schedule/blockers.ts';
import type { Forecast, TargetForecast } from '../../../shared/schedule/forecast.ts';
import type { RoutedLane } from '../../../shared/schedule/snapshot.ts';
import { ago, atLeast, moment } from '../components/format.ts';
import { groupLink } from '../components/group-cells.ts';
import { groupPath } from '../components/links.ts';
import { mark } from '../components/marks.ts';
import { isUnreachable, linkTarget, targetLink } from '../components/target-state.ts';
import { searchLink } from '../events/search.ts';
import { type Content, type Html, html } from '../html.ts';
import { expectNextTick } from '../runs/tick-page.ts';
import { needsReview } from '../targets/cause-section.ts';
import type { Progress } from './read-progress.ts';

/** What does not go on by itself: a few words for the sentence, the whole of it, and one action. */
export type Problem = {
  /** The kind, by which the words of several are added up. */
  readonly kind: keyof typeof summaries;
  /** The unit of the count: events, or for targets and runs these. */
  readonly count: number;
  readonly isExact?: boolean;
  readonly says: Content;
  readonly action: readonly [words: string, href: string];
};

/** The words of each kind, for one and for several. */
const summaries = {
  late: ['schedule is late', 'schedules are late'],
  unscheduled: ['schedule paused', 'schedules paused'],
  down: ['target down', 'targets down'],
  held: ['target held', 'targets held'],
  blocked: ['event blocked by a key', 'events blocked by a key'],
  undecided: ['needs a decision', 'need a decision'],
  failing: ['fails by itself', 'fail by themselves'],
  review: ['needs review', 'need review'],
  'no-route': ['without a route', 'without a route'],
  many: ['kind of events waits', 'kinds of events wait'],
  paused: ['replay paused', 'replays paused'],
} as const;

/** A sentence of all problems, and a line with one action for each. */
export function problemSection(problems: readonly Problem[], open: number): Html {
  const kinds = [...Map.groupBy(problems, ({ kind }) => kind)].map(([kind, own]) => {
    const count = own.reduce((sum, each) => sum + each.count, 0);
    const isExact = own.every((each) => each.isExact !== false);
    const [one, several] = summaries[kind];
    return atLeast(countOf(count, one, several), isExact);
  });
  const rest =
    open > 0 ? `${countOf(open, 'event is', 'events are')} retried by the schedule.` : 'No event is open.';
  const nothing = html`${mark('succeeded', 'good', 'Nothing needs you.')}`;
  const details = problems.length > 0 ? problemLines(problems) : html`<p class="muted">${rest}</p>`;
  return html`<section class="problem-list" aria-labelledby="now"><h2 id="now" class="headline">${problems.length > 0 ? kinds.join(' · ') : nothing}</h2>${details}</section>`;
}

/** A line with one action for each problem. */
export function problemLines(problems: readonly Problem[]): Html {
  const lines = problems.map(
    ({ says, action: [words, href] }) =>
      html`<li><span class="wrap">${says}</span><a class="button" href="${href}">${words}</a></li>`,
  );
  return html`<ul class="list">${lines}</ul>`;
}

/** Event types that are named as examples. */
const maxNamed = 3;
/** Events of a key that are counted. */
const maxBlocked = 10_000;
/** A tick that is this late was not called. */
const lateMs = 120_000;

/** Lists all that waits for something else than its time, what stops most of it first. */
export function listProblems(progress: Progress, failingHours?: number): Problem[] {
  const { forecast, lanes, isWhole, targets, ticks, runs, blockers, undecided, depths } = progress;
  return [
    ...(forecast.paused ? [pausedSchedule(forecast.paused)] : lateTick(expectNextTick(ticks))),
    ...targets.flatMap((state) => stoppedTarget(state, forecast)),
    ...blockers.map(blockedKey),
    ...undecidedErrors(undecided, depths.failed),
    ...forecast.items.flatMap((item) => failingCauses(item, failingHours)),
    ...forecast.items.flatMap(withoutRoute),
    ...(isWhole ? [] : [manyKinds(lanes)]),
    ...runs.filter(({ state }) => state === 'paused').map(pausedRun),
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

/** A target that gets no deliveries. */
function stoppedTarget(target: TargetState, { items }: Forecast): Problem[] {
  if (!isUnreachable(target)) return [];
  const { state, target: name, heldBy, heldReason, probeAfter } = target;
  const item = items.find((each) => each.target === name);
  const isDue = !probeAfter || probeAfter <= new Date();
  const probe = isDue ? 'the next tick probes it' : html`next probe ${ago(probeAfter)}`;
  const kind = state === 'held' ? 'held' : 'down';
  const why = kind === 'held' ? html`held by ${heldBy}: ${heldReason}` : html`down: ${probe}`;
  const says = html`${linkTarget(name)} is ${why}. ${item && `${waitsFor(item.waiting, item.isWaitingExact)}.`}`;
  return [{ kind, count: 1, says, action: [kind === 'held' ? 'Release…' : 'Probe…', targetLink(name)] }];
}

/** Events that wait behind an earlier one of their key. */
export function blockedKey({ id, eventType, key, status, events }: Blocker): Problem {
  const [count, isExact] = [Math.min(events, maxBlocked), events <= maxBlocked];
  const why = status === 'FAILED_PERMANENTLY' && ', which failed permanently';
  const says = html`${waitsFor(count, isExact)} behind ${eventType} <a href="events/${id}">${id}</a>${key !== null && html` (key ${key})`}${why}.`;
  return { kind: 'blocked', count, isExact, says, action: ['Open it…', `events/${id}`] };
}

function undecidedErrors(groups: readonly Group[], events: number): Problem[] {
  const named = groups.filter(({ failedPermanently }) => failedPermanently > 0);
  const lines = named.map((group): Problem => {
    const { failedPermanently: count } = group;
    const says = html`${countOf(count, 'event')} failed permanently: ${groupLink(group)}`;
    return { kind: 'undecided', count, says, action: ['Decide…', groupPath(group.fingerprint)] };
  });
  const rest = events - lines.reduce((sum, { count }) => sum + count, 0);
  if (rest <= 0) return lines;
  const says = `${countOf(rest, named.length > 0 ? 'other event' : 'event')} failed permanently.`;
  const action = ['Show them', searchLink('status:FAILED_PERMANENTLY')] as const;
  return [...lines, { kind: 'undecided', count: rest, says, action }];
}

function failingCauses({ target, causes }: TargetForecast, failingHours?: number): Problem[] {
  if (target === null) return [];
  return causes.map((cause) => ({
    kind: needsReview(cause, failingHours) ? 'review' : 'failing',
    count: cause.waiting,
    says: html`${waitsFor(cause.waiting)}: their cause fails by itself at ${linkTarget(target)}, began ${ago(cause.since)}: ${cause.answer ?? 'no answer'}`,
    action: ['Show it…', targetLink(target)],
  }));
}

function withoutRoute({ target, waiting: count, isWaitingExact: isExact }: TargetForecast): Problem[] {
  if (target !== null) return [];
  const says = `${waitsFor(count, isExact)} without a route.`;
  return [{ kind: 'no-route', count, isExact, says, action: ['Make a route…', 'targets#without-a-route'] }];
}

/** An id in the event type makes each event a kind of its own. */
function manyKinds(lanes: readonly RoutedLane[]): Problem {
  const { length: count } = lanes;
  const shown = lanes.slice(0, maxNamed).map(({ eventType }) => eventType.slice(0, 100));
  const says = `More than ${countOf(count, 'kind')} of events wait, such as ${shown.join(', ')}: pages and metrics count a part of them. Keep ids out of event types.`;
  return { kind: 'many', count, isExact: false, says, action: ['Show them', searchLink('status:PENDING')] };
}

function pausedRun({ id, reason, pausedBecause }: ListedRun): Problem {
  const says = html`Replay ${id}${reason !== null && html` (${reason})`} is paused. ${pausedBecause}`;
  return { kind: 'paused', count: 1, says, action: ['Open it…', `runs/${id}`] };
}
