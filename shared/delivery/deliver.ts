import { cutOff, learn } from './learn.ts';
import type { Held } from './messages.ts';
import { hasToWait } from './own-limits.ts';
import type { Leased } from './picker.ts';
import { settleSoon } from './settle.ts';
import { release, type Settlement, settlementOf } from './settlement.ts';
import type { Outcome } from './targets/outcome.ts';
import { keepsOrder, sendToTarget } from './targets/target-kinds.ts';
import { concurrencyOf, fail, type Work } from './work-state.ts';

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
  const { waiting, inFlight } = work;
  inFlight.add(leased);
  const released = new Promise<Settlement>((resolve) => {
    waiting.set(leased, () => resolve(release(leased)));
  });
  const settlement = await Promise.race([deliverInTurn(work, leased), released]);
  waiting.delete(leased);
  inFlight.delete(leased);
  addOutcome(work, leased, settlement);
}

function addOutcome(work: Work, leased: Leased, settlement: Settlement): void {
  work.outcomes.push({ event: leased.event, settlement, lease: leased.lease, route: leased.route });
  settleSoon(work);
}

/** After the previous event of its key, within the concurrency of its route. */
function deliverInTurn(work: Work, leased: Leased): Promise<Settlement> {
  const deliver = () => deliverNow(work, leased);
  return work.sequence(nameSequence(leased), () =>
    concurrencyOf(work, leased.route).run(leased.kind, deliver),
  );
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
function nameSequence({ event: { sourceKey }, route, target }: Leased): string | undefined {
  return sourceKey === null || !keepsOrder(route.target) ? undefined : `${target} ${sourceKey}`;
}

/** Delivers one event. Holds no connection, and never throws. */
async function deliverMessage(work: Work, leased: Leased, { message, problem }: Held): Promise<Settlement> {
  const { event, route, target, lease } = leased;
  const unsent = { leased, startedAt: new Date(), durationMs: 0 };
  const { maxRetries } = work.deps.retry;
  if (problem !== undefined)
    return settlementOf({ ...unsent, outcome: { kind: 'permanent', error: problem } }, maxRetries);
  // Another worker has the event.
  if (!message) return release(leased);
  // The lease could end during the delivery, and another worker could deliver the event a second time.
  if (Date.now() + route.policy.timeoutSeconds * 1000 >= lease.endsAt) return release(leased);
  const began = performance.now();
  const sending = orGiveUp(sendToTarget({ ...event, ...message }, route), work.deps.shutdown?.ending);
  const flight = work.health.of(target).begin(sending);
  const outcome = await flight.outcome;
  const sent = { ...unsent, outcome, durationMs: Math.round(performance.now() - began) };
  return settlementOf({ ...sent, ...(await learn(work, sent, flight)) }, maxRetries);
}

function orGiveUp(sending: Promise<Outcome>, ending: AbortSignal | undefined): Promise<Outcome> {
  if (!ending) return sending;
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const giveUp = () => resolve(cutOff);
  if (ending.aborted) giveUp();
  ending.addEventListener('abort', giveUp);
  return Promise.race([sending, promise]).finally(() => ending.removeEventListener('abort', giveUp));
}
