import { statement } from '../database/statement.ts';
import type { Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { ConflictError } from '../errors.ts';
import type { ReplayDeps } from '../replay/replay-deps.ts';
import { assertKnown, assertTarget } from './target-names.ts';

type Change = {
  readonly target: string;
  readonly actor: string;
  readonly reason: string;
};

/** `until`: when the hold ends, in ISO 8601; else with its release. */
type Hold = Change & { readonly until?: string | null | undefined };

const hold = statement<Change & { until: string | null }, { readonly target: string }>(
  'hold-target',
  import.meta.url,
);
const release = statement<Change & { ramp: readonly number[] }, { readonly target: string }>(
  'release-target',
  import.meta.url,
);

/**
 * Holds a target: the schedule delivers nothing to it until it is released or `until`, and a replay only if
 * its request says so. Deliveries in flight end. Throws NotFoundError, and a ConflictError if the target is
 * held.
 */
export async function holdTarget(
  { db, routes }: Pick<ReplayDeps, 'db' | 'routes'>,
  { until = null, ...change }: Hold,
): Promise<void> {
  assertTarget(routes, change.target);
  const [held] = await hold(db, { ...change, until });
  if (!held)
    throw new ConflictError(`${change.target} is held already: release it first to change the reason.`);
}

/**
 * Releases a held target, also one that no route has any more; its deliveries follow the ramp of its first
 * route. Throws NotFoundError, and a ConflictError if the target is not held.
 */
export async function releaseTarget(
  { db, routes }: Pick<ReplayDeps, 'db' | 'routes'>,
  change: Change,
): Promise<void> {
  await assertKnown(db, routes, change.target);
  const [released] = await release(db, { ...change, ramp: rampOf(routes, change.target) });
  if (!released) throw new ConflictError(`${change.target} is not held: nothing is to be released.`);
}

export function rampOf(routes: readonly Route[], name: string): readonly number[] {
  const route = routes.find(({ target }) => nameTarget(target) === name);
  return route?.policy.breaker.ramp ?? [];
}
