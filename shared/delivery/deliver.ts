import type { Leased } from './leased.ts';
import type { Held } from './messages.ts';
import { decideNextState } from './policy/next-state.ts';
import { release, type Settlement, settlementOf } from './settlement.ts';
import { judge, type Outcome } from './targets/outcome.ts';
import { nameTarget, sendToTarget } from './targets/target-kinds.ts';
import type { Work } from './work-state.ts';

type Terms = Pick<Work, 'deps' | 'recordSend' | 'health'>;

/**
 * Delivers one leased event and returns its settlement. Holds no connection. Never throws for a failed
 * delivery, but what `recordSend` throws: then nothing was sent.
 */
export async function deliver(work: Terms, leased: Leased, held: Omit<Held, 'release'>): Promise<Settlement> {
  const { event, route, lease } = leased;
  if (held.problem !== undefined)
    return settlementBy(work, leased, { kind: 'permanent', error: held.problem }, new Date());
  // Another worker has the event.
  if (!held.message) return release(leased);
  const message = { ...event, ...held.message };
  // The lease could end during the delivery, and another worker could deliver the event a second time.
  const isTooLate = () => Date.now() + route.policy.timeoutSeconds * 1000 >= lease.endsAt;
  if (isTooLate()) return release(leased);
  await work.recordSend({ id: event.id, leaseToken: lease.token, target: nameTarget(route.target) });
  if (isTooLate()) return release(leased);
  const startedAt = new Date();
  const outcome = await orGiveUp(sendToTarget(message, route), work.deps.shutdown?.ending);
  recordHealth(work, leased, outcome, startedAt);
  return settlementBy(work, leased, outcome, startedAt);
}

/** A process that is stopped, or that stood still, shows nothing about the target. */
function recordHealth(work: Terms, { route, lease }: Leased, outcome: Outcome, startedAt: Date): void {
  const stoodStill = Date.now() > startedAt.getTime() + route.policy.timeoutSeconds * 1000 + maxLateMs;
  if (outcome === cutOff || outcome.isRefused || stoodStill) return;
  const leasedAt = lease.endsAt - work.deps.retry.leaseSeconds * 1000;
  work.health.record(nameTarget(route.target), route.policy.breaker, {
    outcome: outcome.kind,
    claimedAt: work.recordSend.toDatabaseSeconds(leasedAt),
  });
}

function settlementBy(
  { deps: { retry } }: Terms,
  leased: Leased,
  outcome: Outcome,
  startedAt: Date,
): Settlement {
  const { event, route } = leased;
  const terms = { maxRetries: retry.maxRetries, random: Math.random };
  return settlementOf(leased, {
    outcome,
    target: nameTarget(route.target),
    startedAt,
    durationMs: Date.now() - startedAt.getTime(),
    next: decideNextState(event, route.policy, outcome, terms),
    // A consumer may report the failure of what its target accepted.
    failed: decideNextState(event, route.policy, { ...outcome, kind: 'transient' }, terms),
  });
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
