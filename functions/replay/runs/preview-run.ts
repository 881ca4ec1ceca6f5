import { nameTarget, type Target } from '../../../shared/routes.ts';
import type { ReplayDeps } from '../replay-deps.ts';
import { checkEdit } from './check-edit.ts';
import { describeReach, type Reach } from './describe-reach.ts';
import { type Group, listGroups } from './list-groups.ts';
import { listSamples, type Sample } from './list-samples.ts';
import type { RunRequest } from './run-request.ts';
import { type Obstacle, obstacles } from './skip-reasons.ts';
import { type Survey, surveySelection } from './survey-selection.ts';

/** What a run would be, if it were made now. Of what there may be many the largest are shown, with the number of all. */
export type Preview = {
  readonly dryRun: true;
  readonly selected: number;
  readonly oldest: Date | null;
  readonly newest: Date | null;
  readonly leftOut: readonly {
    readonly reason: Obstacle;
    readonly events: number;
    readonly meaning: string;
  }[];
  readonly routes: readonly {
    readonly match: object;
    readonly target: string;
    readonly ordered: boolean;
    readonly events: number;
  }[];
  readonly targets: readonly (Reach & {
    readonly target: string;
    readonly kind: Target['kind'];
    readonly events: number;
  })[];
  readonly eventTypes: Group;
  readonly statuses: Group;
  readonly errorGroups: Group;
  readonly samples: readonly Sample[];
};

/** Tells what `createRun` would do with the same request. Changes nothing. */
export async function previewRun(
  deps: Pick<ReplayDeps, 'db' | 'routes' | 'costLimit'>,
  request: RunRequest,
): Promise<Preview> {
  const { db } = deps;
  const survey = await surveySelection(deps, request);
  await checkEdit(db, request);
  const lanes = survey.lanes.map(({ lane }) => lane);
  const groups = await listGroups(db, request, lanes);
  return {
    dryRun: true,
    selected: survey.selected,
    oldest: survey.oldest,
    newest: survey.newest,
    leftOut: Object.entries(survey.leftOut).map(([reason, events]) => {
      const obstacle = reason as Obstacle;
      return { reason: obstacle, events, meaning: obstacles[obstacle] };
    }),
    routes: sumRoutes(survey),
    targets: await describeTargets(survey),
    ...groups,
    samples: await listSamples(deps, request, lanes),
  };
}

function sumRoutes({ lanes }: Survey): Preview['routes'] {
  const routes = [...new Set(lanes.map(({ route }) => route))];
  return routes.map((route) => ({
    match: route.match,
    target: nameTarget(route.target),
    ordered: route.ordered,
    events: sum(lanes.filter((lane) => lane.route === route)),
  }));
}

function describeTargets({ lanes }: Survey): Promise<Preview['targets']> {
  const targets = new Map(lanes.map(({ route: { target } }) => [nameTarget(target), target]));
  return Promise.all(
    [...targets].map(async ([name, target]) => ({
      target: name,
      kind: target.kind,
      events: sum(lanes.filter(({ route }) => nameTarget(route.target) === name)),
      ...(await describeReach(target)),
    })),
  );
}

function sum(lanes: Survey['lanes']): number {
  return lanes.reduce((total, { events }) => total + events, 0);
}
