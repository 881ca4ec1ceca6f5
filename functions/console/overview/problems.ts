import { countOf } from '../../../shared/count-of.ts';
import type { TargetState } from '../../../shared/delivery/read-states.ts';
import type { Group } from '../../../shared/groups/error-groups.ts';
import type { ListedRun } from '../../../shared/replay/list-runs.ts';
import type { Blocker } from '../../../shared/schedule/blockers.ts';
import type { Forecast, TargetForecast } from '../../../shared/schedule/forecast.ts';
import type { RoutedLane } from '../../../shared/schedule/snapshot.ts';
import { ago, moment } from '../components/format.ts';
import { groupLink, groupPath } from '../components/group-cells.ts';
import { mark } from '../components/marks.ts';
import { linkTarget, targetLink } from '../components/target-state.ts';
import { searchLink } from '../events/search.ts';
import { type Content, type Html, html } from '../html.ts';
import { needsReview, type Terms } from '../targets/cause-section.ts';
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
  if (problems.length === 0) {
    const rest =
      open > 0 ? `${countOf(open, 'event is', 'events are')} retried by the schedule.` : 'No event is open.';
    return html`<section class="problem-list" aria-labelledby="now"><h2 id="now" class="headline">${mark('succeeded', 'good', 'Nothing needs you.')}</h2><p class="muted">${rest}</p></section>`;
  }
  const kinds = [...Map.groupBy(problems, ({ kind }) => kind)].map(([kind, own]) => {
    const count = own.reduce((sum, each) => sum + each.count, 0);
    const isExact = own.every((each) => each.isExact !== false);
    const [one, several] = summaries[kind];
    return `${isExact ? '' : 'more than '}${countOf(count, one, several)}`;
  });
  return html`<section class="problem-list" aria-labelledby="now"><h2 id="now" class="headline">${kinds.join(' · ')}</h2>${problemLines(problems)}</section>`;
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

/** Lists all that waits for something else than its time, what stops most of it first. */
export function listProblems(progress: Progress, terms: Terms): Problem[] {
  const { now } = terms;
  const { forecast, lanes, isWhole, targets, runs, blockers, undecided, depths, nextTick } = progress;
  return [
    ...(forecast.paused ? [pausedSchedule(forecast.paused)] : lateTick(nextTick, now)),
    ...targets.flatMap((state) => stoppedTarget(state, forecast, now)),
    ...blockers.map(blockedKey),
    ...undecidedErrors(undecided, depths.failed),
    ...forecast.items.flatMap((item) => failingCauses(item, terms)),
    ...forecast.items.flatMap(withoutRoute),
    ...(isWhole ? [] : manyKinds(lanes)),
    ...runs.filter(({ state }) => state === 'paused').map(pausedRun),
  ];
}

/** A tick that is this late was not called. */
const lateMs = 120_000;

function lateTick(expected: Date | undefined, now: Date): Problem[] {
  if (expected === undefined || now.getTime() - expected.getTime() < lateMs) return [];
  const says = html`A tick was expected ${ago(expected, now)}.`;
  return [{ kind: 'late', count: 1, says, action: ['Show the schedule', 'runs'] }];
}

function waitsFor(events: number, isExact = true): string {
  return `${isExact ? '' : 'more than '}${countOf(events, 'event waits', 'events wait')}`;
}

/** A target that gets no deliveries. */
function stoppedTarget(state: TargetState, forecast: Forecast, now: Date): Problem[] {
  const { target, heldBy, heldReason, probeAfter } = state;
  if (state.state === 'up' || state.state === 'unused') return [];
  const item = forecast.items.find((each) => each.target === target);
  const name = linkTarget(target);
  const waiting = item && `${waitsFor(item.waiting, item.isWaitingExact)}.`;
  if (state.state === 'held') {
    const says = html`${name} is held by ${heldBy}: ${heldReason}. ${waiting}`;
    return [{ kind: 'held', count: 1, says, action: ['Release…', targetLink(target)] }];
  }
  const probe =
    probeAfter && probeAfter > now ? html`next probe ${ago(probeAfter, now)}` : 'the next tick probes it';
  const says = html`${name} is down: ${probe}. ${waiting}`;
  return [{ kind: 'down', count: 1, says, action: ['Probe…', targetLink(target)] }];
}

function withoutRoute({ target, waiting, isWaitingExact: isExact }: TargetForecast): Problem[] {
  if (target !== null) return [];
  const says = `${waitsFor(waiting, isExact)} without a route.`;
  return [
    { kind: 'no-route', count: waiting, isExact, says, action: ['Make a route…', 'targets#without-a-route'] },
  ];
}

/** An id in the event type makes each event a kind of its own. */
function manyKinds(lanes: readonly RoutedLane[]): Problem[] {
  const { length: count } = lanes;
  const shown = lanes.slice(0, maxNamed).map(({ eventType }) => eventType.slice(0, 100));
  const says = `More than ${countOf(count, 'kind')} of events wait, such as ${shown.join(', ')}: pages and metrics count a part of them. Keep ids out of event types.`;
  return [{ kind: 'many', count, isExact: false, says, action: ['Show them', searchLink('status:PENDING')] }];
}

function pausedSchedule({ by, reason, until }: NonNullable<Forecast['paused']>): Problem {
  const says = html`${by} paused the schedule${until && html` until ${moment(until)}`}: ${reason}.`;
  return { kind: 'unscheduled', count: 1, says, action: ['Resume…', 'runs'] };
}

export function blockedKey({ id, eventType, key, status, events }: Blocker): Problem {
  const isExact = events <= 10_000;
  const why = status === 'FAILED_PERMANENTLY' ? ', which failed permanently' : '';
  const says = html`${waitsFor(Math.min(events, 10_000), isExact)} behind ${eventType} <a href="events/${id}">${id}</a>${key !== null && html` (key ${key})`}${why}.`;
  return {
    kind: 'blocked',
    count: Math.min(events, 10_000),
    isExact,
    says,
    action: ['Open it…', `events/${id}`],
  };
}

function undecidedErrors(groups: readonly Group[], events: number): Problem[] {
  const named = groups.filter(({ failedPermanently }) => failedPermanently > 0);
  const lines = named.map((group): Problem => {
    const { failedPermanently: count } = group;
    const says = html`${countOf(count, 'event')} failed permanently: ${groupLink(group)}`;
    return { kind: 'undecided', count, says, action: ['Decide…', groupPath(group)] };
  });
  const rest = events - lines.reduce((sum, { count }) => sum + count, 0);
  if (rest <= 0) return lines;
  const says = `${countOf(rest, named.length > 0 ? 'other event' : 'event')} failed permanently.`;
  const action = ['Show them', searchLink('status:FAILED_PERMANENTLY')] as const;
  return [...lines, { kind: 'undecided', count: rest, says, action }];
}

function failingCauses({ target, causes }: TargetForecast, terms: Terms): Problem[] {
  if (target === null) return [];
  return causes.map((cause) => ({
    kind: needsReview(cause, terms) ? 'review' : 'failing',
    count: cause.waiting,
    says: html`${waitsFor(cause.waiting)}: their cause fails by itself at ${linkTarget(target)}, began ${ago(cause.since, terms.now)}: ${cause.answer ?? 'no answer'}`,
    action: ['Show it…', targetLink(target)],
  }));
}

function pausedRun({ id, reason, pausedBecause }: ListedRun): Problem {
  const says = html`Replay ${id}${reason !== null && html` (${reason})`} is paused. ${pausedBecause}`;
  return { kind: 'paused', count: 1, says, action: ['Open it…', `runs/${id}`] };
}
