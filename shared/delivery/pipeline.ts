import pLimit, { type LimitFunction } from 'p-limit';
import type { Claim, Claimed, ClaimSource, Lease, Room } from './claim.ts';
import { minClaimOf, openClaimSizes } from './claim-sizes.ts';
import { collectBatches } from './collect-batches.ts';
import { deliver } from './deliver.ts';
import type { DeliveryDeps } from './delivery-deps.ts';
import { inSequence } from './in-sequence.ts';
import { openMessages } from './messages.ts';
import type { Route } from './routes.ts';
import { openSends } from './sends.ts';
import { endOf, judge, settle } from './settle.ts';
import { type Delivered, release, type Settled, type Settlement } from './settlement.ts';
import type { HeldSlot } from './slots.ts';
import { watchTargets } from './target-health.ts';
import { keepsOrder, nameTarget } from './targets/target-kinds.ts';

/** How long an outcome waits to be settled together with others, in ms, while slower deliveries are in flight. */
const maxWaitMs = 100;
/** Claims of the largest size in flight at once. They are held in memory, without the messages. */
const maxClaims = 4;
/** How long an outcome waits to be settled again, in ms, if another transaction has locked its event. */
const lockedWaitMs = 500;

/** The events that one worker has claimed and not settled yet. */
export type Pipeline = Room & {
  start(claim: Pick<Claim<string>, 'claimed' | 'lease'>): void;
  /** Counts the changes after which more may be claimed: outcomes were settled, or a route has room again. */
  readonly changes: Pick<ReturnType<typeof watchChanges>, 'count' | 'after'>;
  /** Throws the error of a settlement that failed. */
  check(): void;
  /** Waits until every claimed event is delivered and settled. Throws as `check` does. */
  finish(): Promise<void>;
};

type Options = {
  readonly runId: string | null;
  readonly source: Pick<ClaimSource<string>, 'obeysBreakers'>;
  readonly record: (settled: readonly Settled[]) => void;
  /** Runs a settlement, so that the worker's slot is given up while it takes too long. */
  readonly during?: HeldSlot['during'] | undefined;
};

/**
 * Delivers claimed events with the concurrency of their routes, and settles outcomes in batches, one statement each. A
 * slow delivery delays neither the next claim nor the outcomes of others.
 */
export function openPipeline(
  deps: DeliveryDeps,
  { runId, source, record, during = (step) => step() }: Options,
): Pipeline {
  const { batchSize, maxRetries, leaseSeconds } = deps.retry;
  const changes = watchChanges();
  const health = watchTargets();
  const sizes = openClaimSizes(batchSize);
  const recordSend = openSends(deps.db);
  const messages = openMessages(deps.db, runId);
  const { stopping, ending } = deps.shutdown ?? {};
  /** Claimed events whose delivery has not begun, with the function that releases each. */
  const waiting = new Map<Claimed, () => void>();
  const limits = new Map<Route, LimitFunction>();
  const alone = pLimit(1);
  const countSuspects = () => alone.activeCount + alone.pendingCount;
  const saturated = new Set<Route>();
  const sequence = inSequence<Settlement>();
  const errors: unknown[] = [];
  let inFlight = 0;
  let maxOutcomes = 0;
  let locked = 0;
  let isJudging = false;

  const fail = (error: unknown) => {
    errors.push(error);
    changes.announce();
  };
  const outcomes = collectBatches<Delivered>({
    max: () => maxOutcomes,
    waitMs: maxWaitMs,
    isComplete: () => inFlight <= countSuspects(),
    take: async (batch) => {
      judgeHealth(endOf(batch)).catch(fail);
      await during(() => settle(deps, { runId, batch }))
        .then((done) => {
          record(done.settled);
          for (const each of done.locked) settleLater(each);
        })
        .catch(fail);
    },
    onTaken: changes.announce,
  });
  /** Settles an event again that another transaction has locked: others do not wait for it. Its lease ends at last. */
  const settleLater = (delivered: Delivered) => {
    const { event, settlement, lease } = delivered;
    if (Date.now() + lockedWaitMs >= lease.endsAt) return record([{ event, settlement, isSettled: false }]);
    locked += 1;
    setTimeout(() => {
      locked -= 1;
      outcomes.add(delivered);
    }, lockedWaitMs);
  };
  /** Reports the health of targets, apart from the settlement: a locked breaker delays no outcome. */
  const judgeHealth = async (endsAt: number) => {
    if (isJudging) return;
    isJudging = true;
    try {
      while (health.hasNews()) health.confirm(await judge(deps, health.takeReports(), endsAt));
    } finally {
      isJudging = false;
      changes.announce();
    }
  };
  const limitOf = (route: Route) => {
    const limit = limits.get(route) ?? pLimit(route.policy.concurrency);
    limits.set(route, limit);
    return limit;
  };
  const isDown = (route: Route) => source.obeysBreakers() && health.isDown(nameTarget(route.target));

  const deliverWithMessage = async (claimed: Claimed, route: Route, lease: Lease): Promise<Settlement> => {
    const held = await messages.take(claimed, lease);
    try {
      // Its target may have gone down while it waited for memory.
      if (isDown(route) || !waiting.delete(claimed)) return release(claimed, lease);
      const claimedAt = lease.endsAt - leaseSeconds * 1000;
      const terms = { held, route, lease, maxRetries, health, claimedAt, recordSend, ending };
      return await deliver(claimed, terms);
    } finally {
      held.release();
    }
  };
  /** Delivers an event after the previous event of its key, within the concurrency of its route. */
  const deliverInTurn = (claimed: Claimed, lease: Lease): Promise<Settlement> => {
    const { route } = claimed;
    if (!route) return Promise.resolve(release(claimed, lease));
    const limit = limitOf(route);
    const delivery = sequence(nameSequence(claimed.event.sourceKey, route), (before) =>
      limit(async () => {
        if (limit.pendingCount === 0 && saturated.delete(route)) changes.announce();
        await before;
        if (isDown(route) || !waiting.has(claimed)) return release(claimed, lease);
        try {
          return await deliverWithMessage(claimed, route, lease);
        } catch (error) {
          // Nothing was sent. The worker ends; the event need not wait for the end of its lease.
          fail(error);
          return release(claimed, lease);
        }
      }),
    );
    if (limit.pendingCount > 0) saturated.add(route);
    return delivery;
  };
  /** Delivers an event that may end this process after all others, and after their outcomes are settled. */
  const deliverAlone = (claimed: Claimed, lease: Lease) =>
    alone(async () => {
      const areOthersOpen = () => inFlight > alone.pendingCount + 1 || locked > 0 || !outcomes.isEmpty();
      while (waiting.has(claimed) && areOthersOpen()) await changes.after(changes.count());
      return deliverInTurn(claimed, lease);
    });
  const process = async (claimed: Claimed, lease: Lease) => {
    const released = new Promise<Settlement>((resolve) => {
      waiting.set(claimed, () => resolve(release(claimed, lease)));
    });
    const delivered = claimed.isSuspect ? deliverAlone(claimed, lease) : deliverInTurn(claimed, lease);
    const settlement = await Promise.race([delivered, released]).finally(() => {
      waiting.delete(claimed);
      messages.drop(claimed);
      inFlight -= 1;
    });
    const { outcome, target } = settlement;
    if (outcome === 'delivered' && target !== undefined) sizes.record(target, performance.now());
    outcomes.add({ event: claimed.event, settlement, lease });
  };
  const releaseWaiting = () => {
    for (const releaseOne of waiting.values()) releaseOne();
    waiting.clear();
    changes.announce();
  };
  stopping?.addEventListener('abort', releaseWaiting);
  const isEmpty = () => inFlight === 0 && locked === 0 && !isJudging && outcomes.isEmpty();
  const check = () => {
    if (errors.length > 0) throw errors[0];
  };
  return {
    start({ claimed, lease }) {
      inFlight += claimed.length;
      // Half of them: a replay with a gate claims no more before it knows the outcomes of the first ones.
      maxOutcomes = Math.max(minClaimOf(batchSize), Math.min(inFlight / 2, batchSize));
      const sorted = claimed.toSorted(byCapture);
      messages.readAhead(
        sorted.filter(({ route, isSuspect }) => route && !isSuspect),
        lease,
      );
      for (const each of sorted) void process(each, lease).catch(fail);
      // Claimed while the process was asked to stop.
      if (stopping?.aborted) releaseWaiting();
    },
    isEmpty,
    has: (route) =>
      inFlight <= (maxClaims - 1) * batchSize &&
      countSuspects() === 0 &&
      !saturated.has(route) &&
      !isDown(route),
    sizeFor: (routes) =>
      sizes.of(
        routes.map(({ target }) => nameTarget(target)),
        performance.now(),
      ),
    changes,
    check,
    async finish() {
      while (!isEmpty()) await changes.after(changes.count());
      stopping?.removeEventListener('abort', releaseWaiting);
      check();
    },
  };
}

/** Sorts claimed events by capture, so that those of one key start in that order. */
function byCapture({ event: a }: Claimed, { event: b }: Claimed): number {
  return BigInt(a.id) < BigInt(b.id) ? -1 : 1;
}

/** Names the sequence of an event: targets that keep an order receive the events of a key one at a time. */
function nameSequence(key: string | null, { target }: Route): string | undefined {
  return key === null || !keepsOrder(target) ? undefined : `${nameTarget(target)} ${key}`;
}

/** Counts changes. A caller that waits for the next change also sees those that happened before it waited. */
function watchChanges() {
  let count = 0;
  let next = Promise.withResolvers<void>();
  return {
    count: () => count,
    announce() {
      count += 1;
      next.resolve();
      next = Promise.withResolvers();
    },
    /** Resolves once the count exceeds `known`. */
    async after(known: number): Promise<void> {
      while (count <= known) await next.promise;
    },
  };
}
