import type { Claimed, Lease } from './claim.ts';
import { decideNextState } from './policy/next-state.ts';
import type { Route } from './routes.ts';
import { release, type Settlement, settlementOf, skip } from './settlement.ts';
import type { TargetHealth } from './target-health.ts';
import { nameTarget, sendToTarget } from './targets/target-kinds.ts';

type Terms = {
  readonly route: Route;
  readonly lease: Lease;
  /** Failed retries until an event fails permanently. A limit of the route or the event takes precedence. */
  readonly maxRetries: number;
  readonly health: TargetHealth;
  /** When the event was claimed, in ms since the epoch. */
  readonly claimedAt: number;
};

/** Delivers one event and returns its settlement. Holds no connection. Never throws for a failed delivery. */
export async function deliver(
  claimed: Claimed,
  { route, lease, maxRetries, health, claimedAt }: Terms,
): Promise<Settlement> {
  const { event, replay } = claimed;
  const { policy } = route;
  if (replay?.patchError !== undefined) return skip(claimed, lease, replay.patchError);
  // The lease could end during the delivery, and another worker could deliver the event a second time.
  if (Date.now() + policy.timeoutSeconds * 1000 >= lease.endsAt) return release(claimed, lease);
  const startedAt = new Date();
  const outcome = await sendToTarget(event, route);
  const target = nameTarget(route.target);
  health.record(target, policy.breaker, { outcome: outcome.kind, claimedAt });
  const durationMs = Date.now() - startedAt.getTime();
  const next = decideNextState(event, policy, outcome, { maxRetries, random: Math.random });
  return settlementOf(claimed, lease, { outcome, target, startedAt, durationMs, next });
}
