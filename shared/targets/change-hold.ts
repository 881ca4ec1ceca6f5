import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { readBreakers, theSchedule } from '../delivery/breakers.ts';
import { type Cause, ofNone, ofTarget } from '../delivery/cause.ts';
import { listTargetNames, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { ConflictError } from '../errors.ts';
import type { ReplayDeps } from '../replay/replay-deps.ts';
import { assertTarget, listKnownTargets } from './target-names.ts';

type Change = {
  readonly target: string;
  readonly actor: string;
  readonly reason: string;
};

/** `until`: when the hold ends, in ISO 8601; else with its release. */
type Hold = Change & { readonly until?: string | null | undefined };

const hold = statement<Change & { cause: Cause; until: string | null }, { readonly target: string }>(
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
  change: Hold,
): Promise<void> {
  assertTarget(listTargetNames(routes), change.target);
  await holdOnce(db, ofTarget, change);
}

/** Pauses the schedule: no tick delivers anything. Throws a ConflictError if it is paused. */
export function pauseSchedule(db: Database, change: Omit<Hold, 'target'>): Promise<void> {
  return holdOnce(db, ofNone, { ...change, target: theSchedule });
}

async function holdOnce(db: Database, cause: Cause, { until = null, ...change }: Hold): Promise<void> {
  const [held] = await hold(db, { ...change, cause, until });
  if (!held)
    throw new ConflictError(`${change.target} is held already: release it first to change the reason.`);
}

/** Releases a held target as `releaseHold` does. Throws NotFoundError if it is no known target. */
export async function releaseTarget(deps: Pick<ReplayDeps, 'db' | 'routes'>, change: Change): Promise<void> {
  assertTarget(listKnownTargets(deps.routes, await readBreakers(deps.db)), change.target);
  await releaseHold(deps, change);
}

/**
 * Ends a hold: that of the schedule, or of a target, also of one that no route has any more. The deliveries
 * to it follow the ramp of its first route. Throws a ConflictError if there is none.
 */
export async function releaseHold(
  { db, routes }: Pick<ReplayDeps, 'db' | 'routes'>,
  change: Change,
): Promise<void> {
  const [released] = await release(db, { ...change, ramp: rampOf(routes, change.target) });
  if (!released) throw new ConflictError(`${change.target} is not held: nothing is to be released.`);
}

export function rampOf(routes: readonly Route[], name: string): readonly number[] {
  const route = routes.find(({ target }) => nameTarget(target) === name);
  return route?.policy.breaker.ramp ?? [];
}
