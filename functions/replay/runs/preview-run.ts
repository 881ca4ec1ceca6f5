import { nameTarget, type Target } from '../../../shared/routes.ts';
import type { ReplayDeps } from '../replay-deps.ts';
import { checkEdit } from './check-edit.ts';
import { describeReach, type Reach } from './describe-reach.ts';
import { listSamples, type Sample } from './list-samples.ts';
import { type Group, groupBy, groupByError } from './preview-groups.ts';
import type { RunRequest } from './run-request.ts';
import { type Obstacle, obstacles } from './skip-reasons.ts';
import { type Part, type Survey, surveySelection } from './survey-selection.ts';

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
  const [targets, errorGroups, samples] = await Promise.all([
    describeTargets(survey),
    groupByError(db, request, lanes),
    listSamples(deps, request, lanes),
  ]);
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
    targets,
    eventTypes: groupBy(survey.parts, ({ lane }) => lane.event_type),
    statuses: groupBy(survey.parts, ({ status }) => status),
    errorGroups,
    samples,
  };
}

function sumRoutes({ parts }: Survey): Preview['routes'] {
  const routes = [...new Set(parts.map(({ route }) => route))];
  return routes.map((route) => ({
    match: route.match,
    target: nameTarget(route.target),
    ordered: route.ordered,
    events: sum(parts.filter((part) => part.route === route)),
  }));
}

function describeTargets({ parts }: Survey): Promise<Preview['targets']> {
  const targets = new Map(parts.map(({ route: { target } }) => [nameTarget(target), target]));
  return Promise.all(
    [...targets].map(async ([name, target]) => ({
      target: name,
      kind: target.kind,
      events: sum(parts.filter(({ route }) => nameTarget(route.target) === name)),
      ...(await describeReach(target)),
    })),
  );
}

function sum(parts: readonly Part[]): number {
  return parts.reduce((total, { events }) => total + events, 0);
}
