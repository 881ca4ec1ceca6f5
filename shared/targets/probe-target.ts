import { statement } from '../database/statement.ts';
import { assertTarget } from '../delivery/breakers.ts';
import { listTargetNames } from '../delivery/routes.ts';
import { tryRequestWorker } from '../delivery/worker-requests.ts';
import { ConflictError } from '../errors.ts';
import { createRun } from '../replay/create-run.ts';
import type { ReplayDeps } from '../replay/replay-deps.ts';
import type { Run } from '../replay/run.ts';
import { listLanes, routeLane } from '../schedule/lanes.ts';
import { rulesOf } from '../schedule/refusals.ts';

type Probe = { readonly target: string; readonly actor: string; readonly reason: string };

const findProbe = statement<
  { lanes: readonly { readonly lane: string; readonly isOrdered: boolean; readonly rules: string }[] },
  { readonly id: string }
>('find-probe');

/** Replays one event, also to a held target. Throws NotFoundError, and a ConflictError if there is none. */
export async function probeTarget(deps: ReplayDeps, { target, actor, reason }: Probe): Promise<Run> {
  const { db, routes } = deps;
  assertTarget(listTargetNames(routes), target);
  const own = (await listLanes(db)).flatMap((each) => {
    const { lane, hasKey, route, target: itsTarget } = routeLane(routes, each);
    if (!route || itsTarget !== target) return [];
    return [{ lane, isOrdered: route.ordered && hasKey, rules: rulesOf(route.policy) ?? '{}' }];
  });
  const [found] = own.length === 0 ? [] : await findProbe(db, { lanes: own });
  if (!found) {
    throw new ConflictError(`No pending event of ${target} can be sent: a probe delivers one of them.`);
  }
  const request = {
    filter: { ids: [found.id] },
    reason: `Probe: ${reason}`,
    rollout: { pace: 'ungated', waitForTarget: false, toHeldTargets: true },
    dryRun: false,
    hash: '',
  } as const;
  const { run } = await createRun({ ...deps, costLimit: 0 }, request, actor);
  await tryRequestWorker(deps.retry.continueTopic, run.id);
  return run;
}
