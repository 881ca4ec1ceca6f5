import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unless-locked.ts';
import { listBreakers } from '../delivery/breakers.ts';
import type { Claim, Claimed, ClaimSource, Lease, Room } from '../delivery/claim.ts';
import { minClaimOf } from '../delivery/claim-sizes.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import type { ClaimedEvent } from '../delivery/leased-event.ts';
import { claimWithinRates, takeTokens } from '../delivery/rate-limits.ts';
import { openLease } from '../delivery/worker.ts';
import type { Status } from '../events/event.ts';
import { type Decision, decideRollout, limitInFlight } from './decide-rollout.ts';
import { patchEvent, readPatch } from './patch/apply-patch.ts';
import { type RoutePlan, routeRun } from './route-run.ts';
import { findRun, type Run } from './run.ts';

/** Why the events of a replay end. */
export type ReplayStop = 'ended' | 'paused' | 'no such run' | 'target down';

/** An event that a run's worker holds. */
export type RunEvent = ClaimedEvent & {
  /** An operator edited its body or headers. */
  readonly isEdited: boolean;
  /** Index in the routes of the RoutePlan by which it was claimed. */
  readonly route: number;
  /** Position in the run, from 1. */
  readonly position: number;
  /** How many workers of the run sent it and disappeared. */
  readonly losses: number;
  /** The status and times of the event before the run claimed it. */
  readonly oldStatus: Status;
  readonly oldRetryAfter: string | null;
  readonly oldProcessedAt: string | null;
};

/** Returns no rows if the run is paused or has ended, if no event is left, or if all events that it read were skipped. */
export const claimRunEvents = statement<
  {
    runId: string;
    lanes: readonly (RoutePlan['lanes'][number] & { readonly quota: number; readonly waits?: boolean })[];
    limit: number;
    upTo: number;
    lookahead: number;
    after: number;
    toHeldTargets: boolean;
    leaseToken: string;
    leaseSeconds: number;
  },
  RunEvent
>('claim-run-events', import.meta.url);

const recover = statement<{ maxLost: number }, { readonly runId: string; readonly eventId: string }>(
  'recover-run-events',
  import.meta.url,
);

/** More losses than an event can have. */
const unlimited = 2 ** 15;

/**
 * Recovers the events that dead workers of replays held, once their leases have expired. While another session keeps counts of a
 * run locked, no event fails: it waits in its run, so that all others are recovered.
 */
export async function recoverRunEvents(
  db: Database,
  limits: { readonly maxLost: number },
): Promise<readonly { readonly runId: string; readonly eventId: string }[]> {
  const recovered = await unlessLocked(recover(db, limits), undefined);
  return recovered ?? unlessLocked(recover(db, { maxLost: unlimited }), []);
}

const holdRun = statement<{ runId: string; because: string }, never>('hold-run', import.meta.url);

/** Waiting events that a claim reads if an order, a rate or a busy route may block the first ones. */
const minLookahead = 1000;
/** The maximum wait in ms while other workers deliver the remaining events. */
const maxIdleMs = 1000;

/** Opens the frozen selection of a replay. */
export function openRunEvents(deps: DeliveryDeps, runId: string): ClaimSource<ReplayStop> {
  const { db, retry } = deps;
  let after = 0;
  let idleMs = maxIdleMs;
  let waiting = -1;
  let plan: RoutePlan | undefined;
  let waitsForTarget = false;
  /** Some target of the run is held: events of others may be behind its own. */
  let isHeld = false;

  // Unless asked to wait, replays ignore open breakers: an operator requested the delivery, and the gate limits failures.
  return { claim, obeysBreakers: () => waitsForTarget };

  async function claim(room: Room): Promise<Claim<ReplayStop>> {
    const lease = openLease(retry.leaseSeconds);
    // Settled outcomes make room again; until then the run need not be read.
    if (isFull(room)) return { claimed: [], lease };
    if (idleMs >= maxIdleMs) await recoverRunEvents(db, { maxLost: retry.maxLost });
    const [run] = await findRun(db, { runId });
    const stopped = run === undefined ? 'no such run' : stopOf(run);
    if (!run || stopped) return { claimed: [], lease, ...(stopped && { stopped }) };
    plan = routeRun(deps, run);
    waitsForTarget = run.rollout.waitForTarget === true;
    const decision = decide(run, plan);
    if (decision.kind === 'pause') {
      await holdRun(db, { runId, because: decision.because });
      return { claimed: [], lease, waitMs: 0 };
    }
    return claimOrWait(run, plan, { room, lease, upTo: decision.upTo });
  }

  async function claimOrWait(run: Run, plan: RoutePlan, allowed: Allowed): Promise<Claim<ReplayStop>> {
    const { room, lease } = allowed;
    const { claimed, waitMs } = await claimWaiting(run, plan, allowed);
    if (claimed.length > 0) return { claimed, lease, waitMs: 0 };
    if (waitMs !== undefined || !room.isEmpty()) {
      return { claimed, lease, waitMs: waitForOthers(run, waitMs) };
    }
    const { isDown, isNewlyHeld } = await readTargets(run, plan);
    if (isNewlyHeld) return { claimed, lease, waitMs: 0 };
    return { claimed, lease, ...(isDown ? targetDown : { waitMs: waitForOthers(run, waitMs) }) };
  }

  function isFull(room: Room): boolean {
    return plan !== undefined && !room.isEmpty() && !plan.routes.some((route) => room.has(route));
  }

  /** Whether the run waits for a target that is down or held. */
  async function readTargets({ rollout }: Run, { lanes }: RoutePlan) {
    const breakers = (await listBreakers(db, {})).filter((breaker) =>
      lanes.some(({ target }) => target === breaker.target),
    );
    const wasHeld = isHeld;
    isHeld = rollout.toHeldTargets !== true && breakers.some(({ heldAt }) => heldAt !== null);
    const isDown = waitsForTarget && breakers.some(({ state }) => state !== 'CLOSED');
    return { isDown: isDown || isHeld, isNewlyHeld: isHeld && !wasHeld };
  }

  async function claimWaiting(run: Run, plan: RoutePlan, { room, lease, upTo }: Allowed) {
    const free = plan.routes.filter((route) => room.has(route));
    const granted = await takeRunTokens(run, room.sizeFor(free));
    if (granted === 0) return { claimed: [], waitMs: 1000 / (run.rollout.ratePerSecond ?? 1) };
    let events: readonly RunEvent[] = [];
    const limits = new Map(free.map((route) => [route, Math.min(granted, room.sizeFor([route]))]));
    const { claimed, waitMs } = await claimWithinRates(db, limits, async (quotas) => {
      const quotaOf = (index: number) => {
        const route = plan.routes[index];
        return (route && quotas.get(route)) ?? 0;
      };
      const isHeldBack =
        waitsForTarget ||
        isHeld ||
        plan.lanes.some(({ route, isOrdered }) => isOrdered || quotaOf(route) < granted);
      events = await claimRunEvents(db, {
        runId,
        lanes: plan.lanes.map((lane) => ({
          ...lane,
          quota: quotaOf(lane.route),
          waits: waitsForTarget,
        })),
        limit: granted,
        upTo: Math.min(upTo, run.selected),
        after,
        toHeldTargets: run.rollout.toHeldTargets === true,
        // Events in flight may be among the first ones.
        lookahead: run.inFlight + (isHeldBack ? Math.max(minLookahead, granted) : granted),
        leaseToken: lease.token,
        leaseSeconds: retry.leaseSeconds,
      });
      // If events may have been passed over, the next claim reads from the start again.
      after = isHeldBack || events.length < granted ? 0 : (events.at(-1)?.position ?? 0);
      return toClaimed(events, run, plan);
    });
    if (events.length < granted) await takeRunTokens(run, events.length - granted);
    return { claimed, waitMs };
  }

  /**
   * Returns the ms to wait if nothing can be claimed while other workers still deliver, or died with events: it grows to
   * one second, and starts again at 1 ms once the run makes progress.
   */
  function waitForOthers(run: Run, waitMs = 0): number {
    const isIdle = run.waiting === waiting && waitMs === 0;
    waiting = run.waiting;
    idleMs = isIdle ? Math.min(Math.max(10, 2 * idleMs), maxIdleMs) : 0;
    return Math.max(waitMs, idleMs, 1);
  }

  /** Takes up to `wanted` deliveries from the run's own rate, which all its workers share; a negative number returns some. */
  async function takeRunTokens({ rollout: { ratePerSecond } }: Run, wanted: number): Promise<number> {
    return ratePerSecond === undefined
      ? wanted
      : takeTokens(db, { route: `replay ${runId}`, ratePerSecond, wanted });
  }

  function decide(run: Run, { isMissing }: RoutePlan): Decision {
    const because = `No route has the target ${run.request.target}: configure one, then resume.`;
    if (isMissing) return { kind: 'pause', because };
    const decision = decideRollout(run);
    if (decision.kind === 'pause') return decision;
    const inFlight = limitInFlight(run, minClaimOf(retry.batchSize));
    return { kind: 'deliver', upTo: Math.min(decision.upTo, run.delivered + run.failed + inFlight) };
  }
}

const targetDown = { stopped: 'target down' } as const;

type Allowed = { readonly room: Room; readonly lease: Lease; readonly upTo: number };

function stopOf({ endedAt, pausedBecause }: Run): ReplayStop | undefined {
  if (endedAt !== null) return 'ended';
  return pausedBecause === null ? undefined : 'paused';
}

/** Returns claimed events with the terms of their run. */
function toClaimed(events: readonly RunEvent[], run: Run, plan: RoutePlan): Claimed[] {
  const operations = run.patch === null ? undefined : readPatch(run.patch);
  return events.map((event) => {
    const isEdited = event.isEdited || operations !== undefined;
    return {
      event,
      route: plan.routes[event.route],
      ...(event.losses > 1 && { isSuspect: true }),
      replay: {
        before: {
          status: event.oldStatus,
          retryAfter: event.oldRetryAfter,
          processedAt: event.oldProcessedAt,
        },
        isEdited,
        restoresOnFailure: isEdited || run.request.target !== undefined,
        ...(operations && { patch: (message) => patchEvent(message, operations) }),
      },
    };
  });
}
