import { acceptedBy, causeOf, refusedBy } from './cause.ts';
import type { Held } from './messages.ts';
import type { Leased } from './picker.ts';
import { decideNextState } from './policy/next-state.ts';
import { settleSoon } from './settle.ts';
import { type Knowledge, release, type Sent, type Settlement, settlementOf } from './settlement.ts';
import { isCutOff, judge, meaningOf, type Outcome } from './targets/outcome.ts';
import { keepsOrder, nameTarget, sendToTarget } from './targets/target-kinds.ts';
import { concurrencyOf, fail, hasToWait, type Work } from './work-state.ts';

/**
 * Starts the deliveries of leased events, with the concurrency of their routes. Each outcome is settled soon
 * after it is known.
 */
export function deliverLeased(work: Work, leased: readonly Leased[]): void {
  const sorted = leased.toSorted(byCapture);
  const others = sorted.filter((each) => !each.isSuspect);
  for (const each of others) void processLeased(work, each).catch((error) => fail(work, error));
  work.suspects.push(...sorted.filter((each) => each.isSuspect));
  if (work.deps.shutdown?.stopping.aborted) releaseWaiting(work);
}

/** Delivers an event that may end this process, once all others are settled. */
export function deliverSuspect(work: Work): void {
  const { inFlight, outcomes, settling, suspects } = work;
  if (suspects.length === 0 || inFlight.size + outcomes.length + settling > 0) return;
  const next = suspects.shift();
  if (next) void processLeased(work, next).catch((error) => fail(work, error));
}

/** Releases all events whose delivery has not begun. */
export function releaseWaiting(work: Work): void {
  for (const releaseOne of work.waiting.values()) releaseOne();
  work.waiting.clear();
  for (const suspect of work.suspects.splice(0)) addOutcome(work, suspect, release(suspect));
  work.changes.announce();
}

async function processLeased(work: Work, leased: Leased): Promise<void> {
  const { waiting, inFlight, sizes } = work;
  inFlight.add(leased);
  const released = new Promise<Settlement>((resolve) => {
    waiting.set(leased, () => resolve(release(leased)));
  });
  const settlement = await Promise.race([deliverInTurn(work, leased), released]);
  waiting.delete(leased);
  inFlight.delete(leased);
  const { outcome, target } = settlement;
  if (outcome === 'delivered' && target !== undefined) sizes.record(target, performance.now());
  addOutcome(work, leased, settlement);
}

function addOutcome(work: Work, leased: Leased, settlement: Settlement): void {
  work.outcomes.push({ event: leased.event, settlement, lease: leased.lease, route: leased.route });
  settleSoon(work);
}

/** After the previous event of its key, within the concurrency of its route. */
function deliverInTurn(work: Work, leased: Leased): Promise<Settlement> {
  return work.sequence(nameSequence(leased), async (before) => {
    await before;
    return concurrencyOf(work, leased.route).run(leased.kind, () => deliverNow(work, leased));
  });
}

async function deliverNow(work: Work, leased: Leased): Promise<Settlement> {
  if (hasToWait(work, leased) || !work.waiting.has(leased)) return release(leased);
  try {
    const message = await work.readMessage(leased);
    try {
      // Its target may have gone down while it waited for memory.
      if (hasToWait(work, leased) || !work.waiting.delete(leased)) return release(leased);
      return await deliverMessage(work, leased, message);
    } finally {
      message.release?.();
    }
  } catch (error) {
    // Nothing was sent. The worker ends; the event need not wait for the end of its lease.
    fail(work, error);
    return release(leased);
  }
}

/** Events of one key start in the order of capture. */
function byCapture({ event: a }: Leased, { event: b }: Leased): number {
  return BigInt(a.capturedId) < BigInt(b.capturedId) ? -1 : 1;
}

/** Targets that keep an order receive the events of a key one at a time. */
function nameSequence({ event: { sourceKey }, route: { target } }: Leased): string | undefined {
  return sourceKey === null || !keepsOrder(target) ? undefined : `${nameTarget(target)} ${sourceKey}`;
}

/** Delivers one event. Holds no connection, and never throws. */
async function deliverMessage(work: Work, leased: Leased, { message, problem }: Held): Promise<Settlement> {
  const { event, route, lease } = leased;
  const startedAt = new Date();
  if (problem !== undefined)
    return settlementBy(work, { leased, outcome: { kind: 'permanent', error: problem }, startedAt });
  // Another worker has the event.
  if (!message) return release(leased);
  // The lease could end during the delivery, and another worker could deliver the event a second time.
  if (Date.now() + route.policy.timeoutSeconds * 1000 >= lease.endsAt) return release(leased);
  const sending = sendToTarget({ ...event, ...message }, route);
  const outcome = await orGiveUp(sending, work.deps.shutdown?.ending);
  const sent = { leased, outcome, startedAt, ...knowledgeOf(leased, outcome, startedAt) };
  observeOutcome(work, sent);
  return settlementBy(work, sent);
}

/** A process that is stopped, or that stood still, shows nothing about target or event. */
function knowledgeOf({ route }: Leased, outcome: Outcome, startedAt: Date): Knowledge | undefined {
  const stoodStill = Date.now() > startedAt.getTime() + route.policy.timeoutSeconds * 1000 + maxLateMs;
  if (outcome === cutOff || outcome.isRefused || stoodStill) return undefined;
  const meaning = meaningOf(outcome);
  const target = nameTarget(route.target);
  if (meaning === 'accepted') return { meaning, cause: acceptedBy(target) };
  if (meaning === 'limit') return { meaning, cause: refusedBy(target) };
  // A connection that ended without an answer may be the work of this event: samples send it again.
  const isOfEvent = meaning === 'event' || isCutOff(outcome);
  return { meaning, cause: isOfEvent ? causeOf(target, outcome.error ?? '') : null };
}

function observeOutcome(work: Work, { leased, outcome, meaning, cause = null }: Sent): void {
  if (meaning === undefined) return;
  const { route, kind } = leased;
  work.health.record({
    target: nameTarget(route.target),
    policy: route.policy.breaker,
    meaning,
    before: leased.cause,
    cause: meaning === 'accepted' || meaning === 'limit' ? null : cause,
    kind,
    claimedAt: leased.leasedAt,
    answer: outcome.error ?? null,
    retryAfterSeconds: outcome.retryAfterSeconds,
  });
  if (meaning !== 'target')
    concurrencyOf(work, route).learn(kind, outcome.reasonCodes?.includes('timeout') === true);
}

function settlementBy(work: Work, sent: Sent): Settlement {
  const { leased, outcome } = sent;
  const terms = { policy: leased.route.policy, maxRetries: work.deps.retry.maxRetries, random: Math.random };
  const transient = { ...outcome, kind: 'transient' as const };
  return settlementOf(sent, {
    next: decideNextState(leased.event, isRefusedAlike(work, sent) ? transient : outcome, terms),
    // A consumer may report the failure of what its target accepted.
    failed: decideNextState(leased.event, transient, terms),
  });
}

/** Some dozen refusals alike are about a deployment: the later ones wait with their cause. */
function isRefusedAlike({ health }: Work, { leased, outcome, meaning, cause = null }: Sent): boolean {
  if (meaning !== 'event' || outcome.kind !== 'permanent' || cause === null) return false;
  if (leased.before.status !== 'PENDING') return false;
  return leased.cause === cause || health.causes.isShared(cause);
}

/** In ms: a delivery that ends later after its timeout was in a process that stood still. */
const maxLateMs = 1000;

const cutOff: Outcome = {
  ...judge(['unanswered']),
  error: 'The worker was stopped before the target answered.',
};

function orGiveUp(sending: Promise<Outcome>, ending: AbortSignal | undefined): Promise<Outcome> {
  if (!ending) return sending;
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const giveUp = () => resolve(cutOff);
  if (ending.aborted) giveUp();
  ending.addEventListener('abort', giveUp);
  return Promise.race([sending, promise]).finally(() => ending.removeEventListener('abort', giveUp));
}
