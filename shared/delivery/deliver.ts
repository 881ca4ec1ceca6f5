import { acceptedBy, type Cause, causeOf } from './cause.ts';
import type { Leased } from './leased.ts';
import type { Held } from './messages.ts';
import { isCutOff, type Meaning, meaningOf } from './policy/meaning.ts';
import { decideNextState } from './policy/next-state.ts';
import { release, type Settlement, settlementOf } from './settlement.ts';
import { judge, type Outcome } from './targets/outcome.ts';
import { nameTarget, sendToTarget } from './targets/target-kinds.ts';
import { concurrencyOf, type Work } from './work-state.ts';

type Terms = Pick<Work, 'deps' | 'health' | 'concurrency' | 'changes'>;

/** Delivers one leased event and returns its settlement. Holds no connection, and never throws. */
export async function deliver(work: Terms, leased: Leased, held: Omit<Held, 'release'>): Promise<Settlement> {
  const { event, route, lease } = leased;
  if (held.problem !== undefined)
    return settlementBy(work, {
      leased,
      outcome: { kind: 'permanent', error: held.problem },
      startedAt: new Date(),
    });
  // Another worker has the event.
  if (!held.message) return release(leased);
  const message = { ...event, ...held.message };
  // The lease could end during the delivery, and another worker could deliver the event a second time.
  if (Date.now() + route.policy.timeoutSeconds * 1000 >= lease.endsAt) return release(leased);
  const startedAt = new Date();
  const outcome = await orGiveUp(sendToTarget(message, route), work.deps.shutdown?.ending);
  const sent = { leased, outcome, startedAt, ...knowledgeOf(leased, outcome, startedAt) };
  observe(work, sent);
  return settlementBy(work, sent);
}

/** What a delivery is about, and the cause of its failure if that is about the event. */
type Knowledge = { readonly meaning: Meaning; readonly cause: Cause | null };

/** A delivery with its outcome. */
type Sent = Partial<Knowledge> & {
  readonly leased: Leased;
  readonly outcome: Outcome;
  readonly startedAt: Date;
};

/** A process that is stopped, or that stood still, shows nothing about target or event. */
function knowledgeOf({ route }: Leased, outcome: Outcome, startedAt: Date): Knowledge | undefined {
  const stoodStill = Date.now() > startedAt.getTime() + route.policy.timeoutSeconds * 1000 + maxLateMs;
  if (outcome === cutOff || outcome.isRefused || stoodStill) return undefined;
  const meaning = meaningOf(outcome);
  const target = nameTarget(route.target);
  if (meaning === 'accepted') return { meaning, cause: acceptedBy(target) };
  // A connection that ended without an answer may be the work of this event: samples send it again.
  const isOfEvent = meaning === 'event' || isCutOff(outcome);
  return { meaning, cause: isOfEvent ? causeOf(target, outcome.error ?? '') : null };
}

function observe(work: Terms, { leased, outcome, meaning, cause = null }: Sent): void {
  if (meaning === undefined) return;
  const { route, kind } = leased;
  work.health.record({
    target: nameTarget(route.target),
    policy: route.policy.breaker,
    meaning,
    before: leased.cause,
    cause: meaning === 'accepted' ? null : cause,
    kind,
    claimedAt: leased.leasedAt,
    answer: outcome.error ?? null,
    retryAfterSeconds: outcome.retryAfterSeconds,
  });
  if (meaning !== 'target')
    concurrencyOf(work, route).learn(kind, outcome.reasonCodes?.includes('timeout') === true);
}

function settlementBy(work: Terms, sent: Sent): Settlement {
  const { leased, outcome, startedAt, meaning, cause = null } = sent;
  const { event, route } = leased;
  const { policy } = route;
  const terms = { policy, maxRetries: work.deps.retry.maxRetries, random: Math.random };
  const transient = { ...outcome, kind: 'transient' as const };
  return settlementOf(leased, {
    outcome,
    target: nameTarget(route.target),
    startedAt,
    durationMs: Date.now() - startedAt.getTime(),
    next: decideNextState(event, isRefusedAlike(work, sent) ? transient : outcome, terms),
    // A consumer may report the failure of what its target accepted.
    failed: decideNextState(event, transient, terms),
    cause,
    meaning,
  });
}

/**
 * Whether a refusal is not believed: some dozen alike are about a deployment rather than about so many
 * events, and what is refused after them waits with its cause, for a fix or for a person.
 */
function isRefusedAlike({ health }: Terms, { leased, outcome, meaning, cause = null }: Sent): boolean {
  if (meaning !== 'event' || outcome.kind !== 'permanent' || cause === null) return false;
  if (leased.before.status !== 'PENDING') return false;
  return leased.cause === cause || health.causes.isShared(cause);
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
