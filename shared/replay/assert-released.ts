import type { Database } from '../database/database.ts';
import { listBreakers } from '../delivery/breakers.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { ConflictError } from '../errors.ts';
import type { SelectionEstimate } from './estimate-selection.ts';
import type { Rollout } from './rollout.ts';

/** Throws a ConflictError if an operator holds a target of a replay that does not say what to do then. */
export async function assertReleased(
  db: Database,
  { waitForTarget, toHeldTargets }: Rollout,
  { parts }: SelectionEstimate,
): Promise<void> {
  if (waitForTarget || toHeldTargets) return;
  const targets = new Set(parts.map(({ route }) => nameTarget(route.target)));
  const held = (await listBreakers(db, {})).find(({ target, heldAt }) => heldAt && targets.has(target));
  if (!held) return;
  throw new ConflictError(
    `${held.heldBy} holds ${held.target} since ${held.heldAt?.toISOString()}: ${held.heldReason}. Set waitForTarget to start the replay when it is released, or toHeldTargets to deliver anyway.`,
  );
}
