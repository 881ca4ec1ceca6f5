import type { Claimed, Lease } from './claim.ts';
import type { Held } from './messages.ts';
import { decideNextState } from './policy/next-state.ts';
import type { Route } from './routes.ts';
import type { RecordSend } from './sends.ts';
import { release, type Settlement, settlementOf, skip } from './settlement.ts';
import type { TargetHealth } from './target-health.ts';
import { judge, type Outcome } from './targets/outcome.ts';
import { nameTarget, sendToTarget } from './targets/target-kinds.ts';

type Terms = {
  readonly held: Held;
  readonly route: Route;
  readonly lease: Lease;
  /** Failed retries until an event fails permanently. A limit of the route or the event takes precedence. */
  readonly maxRetries: number;
  readonly health: TargetHealth;
  /** When the event was claimed, in ms since the epoch. */
  readonly claimedAt: number;
  /** Records the beginning of a delivery. */
  readonly recordSend: RecordSend;
  /** Aborted when the outcome cannot be waited for any longer, because the process ends. */
  readonly ending: AbortSignal | undefined;
};

/**
 * Delivers one event and returns its settlement. Holds no connection. Never throws for a failed delivery, but what
 * `recordSend` throws: then nothing was sent.
 */
export async function deliver(
  claimed: Claimed,
  { held, route, lease, maxRetries, health, claimedAt, recordSend, ending }: Terms,
): Promise<Settlement> {
  const { event, replay } = claimed;
  const { policy } = route;
  const target = nameTarget(route.target);
  const settlementBy = (outcome: Outcome, startedAt: Date, body?: Buffer) => {
    const durationMs = Date.now() - startedAt.getTime();
    const next = decideNextState(event, policy, outcome, { maxRetries, random: Math.random });
    return settlementOf(claimed, lease, {
      outcome,
      target,
      startedAt,
      durationMs,
      next,
      ...(body && { body }),
    });
  };
  if (held.problem !== undefined) return settlementBy({ kind: 'permanent', error: held.problem }, new Date());
  // Another worker has the event.
  if (!held.message) return release(claimed, lease);
  const patched = replay?.patch?.(held.message);
  if (patched && 'reason' in patched) return skip(claimed, lease, patched.reason);
  const message = { ...event, ...held.message, ...patched };
  // The lease could end during the delivery, and another worker could deliver the event a second time.
  const isTooLate = () => Date.now() + policy.timeoutSeconds * 1000 >= lease.endsAt;
  if (isTooLate()) return release(claimed, lease);
  await recordSend({ id: event.id, leaseToken: lease.token });
  if (isTooLate()) return release(claimed, lease);
  const startedAt = new Date();
  const outcome = await orGiveUp(sendToTarget(message, route), ending);
  // A process that is stopped, or that stood still, shows nothing about the target.
  const stoodStill = Date.now() > startedAt.getTime() + policy.timeoutSeconds * 1000 + maxLateMs;
  if (outcome !== cutOff && !outcome.isRefused && !stoodStill)
    health.record(target, policy.breaker, {
      outcome: outcome.kind,
      claimedAt: recordSend.toDatabaseSeconds(claimedAt),
    });
  return settlementBy(outcome, startedAt, message.body);
}

/** How long after its timeout a delivery may end in a process that did not stand still, in ms. */
const maxLateMs = 1000;

const cutOff: Outcome = {
  ...judge(['unanswered']),
  error: 'The worker was stopped before the target answered.',
};

/** Returns the outcome, or `cutOff` at `ending`. */
function orGiveUp(sending: Promise<Outcome>, ending: AbortSignal | undefined): Promise<Outcome> {
  if (!ending) return sending;
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const giveUp = () => resolve(cutOff);
  if (ending.aborted) giveUp();
  ending.addEventListener('abort', giveUp);
  return Promise.race([sending, promise]).finally(() => ending.removeEventListener('abort', giveUp));
}
