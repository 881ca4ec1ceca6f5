import { InputError } from '../../../shared/errors.ts';
import type { Status } from '../../../shared/events.ts';
import type { Filter } from '../../../shared/filter/filter-schema.ts';
import { runWithinCost } from '../../../shared/filter/run-within-cost.ts';
import { filteredStatement } from '../../../shared/filtered-statement.ts';
import { findRoute, nameTarget, type Route } from '../../../shared/routes.ts';
import type { ReplayDeps } from '../replay-deps.ts';
import { findTarget } from './route-run.ts';
import type { RunLane } from './run.ts';
import type { Obstacle } from './skip-reasons.ts';

/** Which events are to be replayed, and where to. */
export type Choice = {
  readonly filter: Filter;
  readonly includeSucceeded: boolean;
  readonly includeDiscarded: boolean;
  /** The target of a configured route, in place of each event's own. */
  readonly target?: string | undefined;
};

type Surveyed = RunLane & {
  readonly status: Status;
  readonly left_out: Obstacle | null;
  readonly events: number;
  readonly oldest: Date;
  readonly newest: Date;
};

const surveyLanes = filteredStatement<{ includeSucceeded: boolean; includeDiscarded: boolean }, Surveyed>(
  'survey-selection',
);

/** Events of one lane in one status that can be replayed, with the route that takes them. */
export type Part = {
  readonly lane: RunLane;
  readonly status: Status;
  readonly route: Route;
  readonly events: number;
};

/** What of a choice can be replayed, and how many events are left out for which reason. */
export type Survey = {
  readonly parts: readonly Part[];
  /** Each once. */
  readonly lanes: readonly RunLane[];
  readonly leftOut: Readonly<Partial<Record<Obstacle, number>>>;
  readonly selected: number;
  readonly oldest: Date | null;
  readonly newest: Date | null;
};

/** A run's events are kept one by one: so many are written within seconds, and worked on for hours. */
const mostEvents = 1_000_000;

/** Throws InputError where no route has the target or it would be more than a run can hold, and TooCostlyError. */
export async function surveySelection(
  { db, routes, costLimit }: Pick<ReplayDeps, 'db' | 'routes' | 'costLimit'>,
  choice: Choice,
): Promise<Survey> {
  const chosen = choice.target === undefined ? undefined : mustFindTarget(routes, choice.target);
  const { filter, includeSucceeded, includeDiscarded } = choice;
  const params = { includeSucceeded, includeDiscarded };
  const surveyed = await runWithinCost(db, surveyLanes, { filter, params, costLimit });
  const leftOut: Partial<Record<Obstacle, number>> = {};
  const parts = surveyed.flatMap(({ left_out, status, events, oldest, newest, ...lane }) => {
    const route = chosen ?? findRoute(routes, lane);
    if (left_out === null && route) return [{ lane, status, route, events, oldest, newest }];
    const reason = left_out ?? 'no-route';
    leftOut[reason] = (leftOut[reason] ?? 0) + events;
    return [];
  });
  const selected = parts.reduce((sum, { events }) => sum + events, 0);
  if (selected > mostEvents) throw refuseSize(choice.filter, selected);
  const times = (of: 'oldest' | 'newest') => parts.map((part) => part[of].getTime());
  return {
    parts,
    lanes: [...new Map(parts.map(({ lane }) => [lane.lane, lane])).values()],
    leftOut,
    selected,
    oldest: selected > 0 ? new Date(Math.min(...times('oldest'))) : null,
    newest: selected > 0 ? new Date(Math.max(...times('newest'))) : null,
  };
}

function mustFindTarget(routes: readonly Route[], target: string): Route {
  const route = findTarget(routes, target);
  if (route) return route;
  const names = [...new Set(routes.map((each) => nameTarget(each.target)))];
  const remedy = `Name the target of a configured route: ${names.slice(0, 20).join(', ') || 'there is none'}.`;
  throw new InputError([{ field: 'target', value: target, remedy }]);
}

function refuseSize(filter: Filter, selected: number): InputError {
  const most = mostEvents.toLocaleString('en');
  const remedy = `It matches ${selected.toLocaleString('en')} events, and a run has at most ${most}: narrow it, by failedAfter and failedBefore for instance.`;
  return new InputError([{ field: 'filter', value: filter, remedy }]);
}
