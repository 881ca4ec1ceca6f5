import * as v from 'valibot';
import { reasonEntry } from '../../../shared/events/actions/read-action.ts';
import { listOf } from '../../../shared/events/response-values.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { RunDetailSchema, showRun } from '../../../shared/replay/show-run.ts';
import { holdTarget, releaseTarget } from '../../../shared/targets/change-hold.ts';
import { probeTarget } from '../../../shared/targets/probe-target.ts';
import {
  listTargets,
  showTarget,
  TargetDetailSchema,
  TargetSchema,
} from '../../../shared/targets/show-targets.ts';
import { operation } from '../api/operation.ts';

const TargetParam = v.pipe(
  v.string(),
  v.maxLength(2000),
  v.description('The URL or topic of the target, percent-encoded.'),
);
const ReasonSchema = v.strictObject({ reason: reasonEntry });
const detail = { 200: { description: 'The target.', schema: TargetDetailSchema } };

/** `GET /targets`: the targets of all routes. */
export const listTargetsOperation = operation(
  {
    operationId: 'listTargets',
    summary: 'List targets',
    description: 'Every target of a route, with its state and what waits for it.',
    tag: 'targets',
    responses: {
      200: { description: 'All targets.', schema: v.strictObject({ items: listOf(TargetSchema) }) },
    },
  },
  async (deps: Pick<ReplayDeps, 'db' | 'routes'>) => ({
    body: { items: (await listTargets(deps)).targets },
  }),
);

/** `GET /targets/{target}`. */
export const showTargetOperation = operation(
  {
    operationId: 'showTarget',
    summary: 'Show a target',
    description: 'One target with its latest answers, and the history of its states.',
    tag: 'targets',
    params: { target: TargetParam },
    responses: detail,
  },
  async (deps: Pick<ReplayDeps, 'db' | 'routes'>, { params }) => ({
    body: await showTarget(deps, params.target),
  }),
);

export const holdTargetOperation = changeHoldOperation(holdTarget, {
  operationId: 'holdTarget',
  summary: 'Hold a target',
  description:
    'The schedule delivers nothing to it until it is released; a replay only with `toHeldTargets`. Deliveries in flight end.',
});
export const releaseTargetOperation = changeHoldOperation(releaseTarget, {
  operationId: 'releaseTarget',
  summary: 'Release a held target',
  description:
    'The next tick delivers to it again, at first by the ramp of its breaker, and replays that waited for it continue.',
});

function changeHoldOperation(
  change: typeof holdTarget,
  texts: { readonly operationId: string; readonly summary: string; readonly description: string },
) {
  return operation(
    { ...texts, tag: 'targets', params: { target: TargetParam }, body: ReasonSchema, responses: detail },
    async (deps: Pick<ReplayDeps, 'db' | 'routes'>, { params: { target }, body: { reason }, caller }) => {
      await change(deps, { target, actor: caller.name, reason });
      return { body: await showTarget(deps, target) };
    },
  );
}

/** `POST /targets/{target}/probe`. */
export const probeTargetOperation = operation(
  {
    operationId: 'probeTarget',
    summary: 'Probe a target',
    description:
      'Sends the event that has waited longest, also to a target that is down or held, as a replay of one event. Its answer counts for the breaker: a good one closes it.',
    tag: 'targets',
    params: { target: TargetParam },
    body: ReasonSchema,
    responses: { 201: { description: 'The replay; follow it for the answer.', schema: RunDetailSchema } },
  },
  async (deps: ReplayDeps, { params: { target }, body: { reason }, caller, now }) => {
    const run = await probeTarget(deps, { target, actor: caller.name, reason });
    return { status: 201, headers: { location: `runs/${run.id}` }, body: await showRun(deps, run, now) };
  },
);
