import * as v from 'valibot';
import { reasonEntry } from '../../shared/events/actions/operator-text.ts';
import { RunDetailSchema, showRun } from '../../shared/replay/show-run.ts';
import { described, listOf, text } from '../../shared/response-values.ts';
import { ForecastSchema, forecast } from '../../shared/schedule/forecast.ts';
import { requestTick } from '../../shared/schedule/request-tick.ts';
import { readSnapshot } from '../../shared/schedule/snapshot.ts';
import { holdTarget, releaseTarget, stopEverything } from '../../shared/targets/change-hold.ts';
import { probeTarget } from '../../shared/targets/probe-target.ts';
import {
  listTargets,
  showTarget,
  TargetDetailSchema,
  TargetViewSchema,
} from '../../shared/targets/show-targets.ts';
import { UntilSchema } from '../../shared/time-text.ts';
import { operation } from './api/operation.ts';

const TargetParam = described(v.string(), 'The URL or topic of the target, percent-encoded.');
const ReasonSchema = v.strictObject({ reason: reasonEntry });
const HoldSchema = v.strictObject({ reason: reasonEntry, until: UntilSchema });

export const listTargetsOperation = operation(
  {
    summary: 'List targets',
    description: 'Every target of a route, with its state and what waits for it.',
    returns: v.strictObject({ items: listOf(TargetViewSchema) }),
  },
  async (deps) => ({ body: { items: await listTargets(deps, await readSnapshot(deps)) } }),
);

export const showTargetOperation = operation(
  {
    summary: 'Show a target',
    description: 'One target with its latest answers, and the history of its states.',
    params: { target: TargetParam },
    returns: TargetDetailSchema,
  },
  async (deps, { params }) => ({ body: await showTarget(deps, await readSnapshot(deps), params.target) }),
);

export const holdTargetOperation = changeHoldOperation(holdTarget, HoldSchema, {
  summary: 'Hold a target',
  description:
    'The schedule delivers nothing to it until it is released, or `until`; a replay only with `toHeldTargets`. Deliveries in flight end.',
});
export const releaseTargetOperation = changeHoldOperation(releaseTarget, ReasonSchema, {
  summary: 'Release a held target',
  description:
    'The next tick delivers to it again, slowly at first, and replays that waited for it continue.',
});

function changeHoldOperation(
  change: typeof holdTarget | typeof releaseTarget,
  body: typeof HoldSchema | typeof ReasonSchema,
  texts: { readonly summary: string; readonly description: string },
) {
  return operation(
    { ...texts, params: { target: TargetParam }, body, returns: TargetDetailSchema },
    async (deps, { params: { target }, body, caller }) => {
      await change(deps, { ...body, target, actor: caller.name });
      return { body: await showTarget(deps, await readSnapshot(deps), target) };
    },
  );
}

export const probeTargetOperation = operation(
  {
    summary: 'Probe a target',
    description:
      'Sends an event, one that was not tried before if there is one, also to a target that is down or held, as a replay of one event. Its answer counts for the breaker: a good one closes it.',
    params: { target: TargetParam },
    body: ReasonSchema,
    statuses: [201],
    returns: RunDetailSchema,
  },
  async (deps, { params: { target }, body: { reason }, caller, now }) => {
    const run = await probeTarget(deps, { target, actor: caller.name, reason });
    return { status: 201, headers: { location: `runs/${run.id}` }, body: await showRun(deps, run, now) };
  },
);

export const stopOperation = operation(
  {
    summary: 'Stop all deliveries',
    description:
      'Holds every target and pauses every replay, in one action. Its undo, `POST /audit/{id}/undo`, starts exactly these again.',
    body: HoldSchema,
    returns: v.strictObject({ auditId: text }),
  },
  async (deps, { body, caller }) => ({ body: await stopEverything(deps, { ...body, actor: caller.name }) }),
);

export const showScheduleOperation = operation(
  {
    summary: 'Show what the schedule retries next',
    description:
      'The events that are due now and within the hour, by target: how many a tick that starts now would claim, and what holds the others.',
    returns: ForecastSchema,
  },
  async (deps) => ({ body: await forecast(deps, await readSnapshot(deps)) }),
);

export const runNowOperation = operation(
  {
    summary: 'Retry what is due now',
    description:
      'Requests a tick from the function `retry`, beside the schedule. A tick that is running is extended to what is due now. The answer does not wait for it.',
    body: ReasonSchema,
    statuses: [202],
    returns: ForecastSchema,
  },
  async (deps, { body: { reason }, caller }) => {
    const expected = await forecast(deps, await readSnapshot(deps));
    await requestTick(deps, { actor: caller.name, reason });
    return { status: 202, body: expected };
  },
);
