import { deliver } from './deliver.ts';
import type { Leased } from './leased.ts';
import { settleSoon } from './settle.ts';
import { release, type Settlement } from './settlement.ts';
import { keepsOrder, nameTarget } from './targets/target-kinds.ts';
import { concurrencyOf, fail, hasToWait, type Work } from './work-state.ts';

/**
 * Starts the deliveries of leased events, with the concurrency of their routes. Each outcome is settled soon
 * after it is known.
 */
export function deliverLeased(work: Work, leased: readonly Leased[]): void {
  const sorted = leased.toSorted(byCapture);
  const [others, suspects] = [
    sorted.filter((each) => !each.isSuspect),
    sorted.filter((each) => each.isSuspect),
  ];
  work.messages.expect(others);
  for (const each of others) void process(work, each).catch((error) => fail(work, error));
  work.suspects.push(...suspects);
  if (work.deps.shutdown?.stopping.aborted) releaseWaiting(work);
}

/** Delivers an event that may end this process, once all others are settled. */
export function deliverSuspect(work: Work): void {
  const { inFlight, outcomes, settling, suspects } = work;
  if (suspects.length === 0 || inFlight.size + outcomes.length + settling > 0) return;
  const next = suspects.shift();
  if (next) void process(work, next).catch((error) => fail(work, error));
}

/** Releases all events whose delivery has not begun. */
export function releaseWaiting(work: Work): void {
  for (const releaseOne of work.waiting.values()) releaseOne();
  work.waiting.clear();
  for (const suspect of work.suspects.splice(0)) addOutcome(work, suspect, release(suspect));
  work.changes.announce();
}

async function process(work: Work, leased: Leased): Promise<void> {
  const { waiting, inFlight, messages, sizes } = work;
  inFlight.add(leased);
  const released = new Promise<Settlement>((resolve) => {
    waiting.set(leased, () => resolve(release(leased)));
  });
  const settlement = await Promise.race([deliverInTurn(work, leased), released]);
  waiting.delete(leased);
  messages.drop(leased);
  inFlight.delete(leased);
  const { outcome, target } = settlement;
  if (outcome === 'delivered' && target !== undefined) sizes.record(target, performance.now());
  addOutcome(work, leased, settlement);
}

function addOutcome(work: Work, leased: Leased, settlement: Settlement): void {
  work.outcomes.push({ event: leased.event, settlement, lease: leased.lease, route: leased.route });
  settleSoon(work);
}

/** Delivers an event after the previous event of its key, within the concurrency of its route. */
function deliverInTurn(work: Work, leased: Leased): Promise<Settlement> {
  return work.sequence(nameSequence(leased), async (before) => {
    await before;
    return concurrencyOf(work, leased.route).run(leased.kind, () => deliverNow(work, leased));
  });
}

async function deliverNow(work: Work, leased: Leased): Promise<Settlement> {
  if (hasToWait(work, leased) || !work.waiting.has(leased)) return release(leased);
  try {
    const message = await work.messages.take(leased);
    try {
      // Its target may have gone down while it waited for memory.
      if (hasToWait(work, leased) || !work.waiting.delete(leased)) return release(leased);
      return await deliver(work, leased, message);
    } finally {
      message.release();
    }
  } catch (error) {
    // Nothing was sent. The worker ends; the event need not wait for the end of its lease.
    fail(work, error);
    return release(leased);
  }
}

/** Sorts leased events by capture, so that those of one key start in that order. */
function byCapture({ event: a }: Leased, { event: b }: Leased): number {
  return BigInt(a.capturedId) < BigInt(b.capturedId) ? -1 : 1;
}

/** Names the sequence of an event: targets that keep an order receive the events of a key one at a time. */
function nameSequence({ event: { sourceKey }, route: { target } }: Leased): string | undefined {
  return sourceKey === null || !keepsOrder(target) ? undefined : `${nameTarget(target)} ${sourceKey}`;
}
