import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unless-locked.ts';
import { listRamps } from '../delivery/breakers.ts';
import type { Claim, Claimed, ClaimSource, Lease, Room } from '../delivery/claim.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import type { ClaimedEvent } from '../delivery/leased-event.ts';
import { claimWithinRates, type Quotas } from '../delivery/rate-limits.ts';
import { findRoute } from '../delivery/routes.ts';
import type { HeldSlot } from '../delivery/slots.ts';
import { openLease } from '../delivery/worker.ts';
import { type Front, openFronts } from './fronts.ts';
import { openKeyCursor } from './key-cursor.ts';
import { type Lane, routeLanes } from './lanes.ts';
import { type Refusal, settleRefused } from './refusals.ts';

/** Why the due events of a tick end. */
export type TickStop = 'nothing due' | 'event limit reached';

/**
 * A lane to claim events from: `route` is its index in the list of routes, `quota` how many events of its route this claim
 * may take, `fronts` where the claim begins in each priority, or `heads` the first event of each key of an ordered lane.
 */
type ClaimedLane = Pick<Lane, 'lane' | 'maxRetries' | 'target'> & {
  readonly rules?: Lane['rules'];
  readonly route: number;
  readonly quota: number;
  readonly fronts?: readonly Front[] | undefined;
  readonly heads?: readonly string[] | undefined;
  readonly headPriority?: number | null | undefined;
};

export const claimEvents = statement<
  {
    runId: string | null;
    lanes: readonly ClaimedLane[];
    limit: number;
    dueAt: string;
    leaseToken: string;
    leaseSeconds: number;
    maxLost: number;
  },
  ClaimedEvent & {
    /**
     * How often, in its latest attempts, its worker sent it and disappeared; 0 if the last worker did not. The loss costs a
     * retry. If that was the last one, the event is not leased.
     */
    readonly losses: number;
    readonly lane: string;
    readonly priority: number;
    readonly retryAfter: string;
    /** Its position among the claimed events of its lane and priority. */
    readonly nth: number;
    /** Leased only to be settled. */
    readonly refusal: Refusal;
  }
>('claim-events', import.meta.url);

const hasDueEvents = statement<{ lanes: readonly string[]; dueAt: string }, { readonly hasDue: boolean }>(
  'has-due-events',
  import.meta.url,
);

/** `granted` is null if the tick has no limit. A negative number returns unused events. */
const takeAllowance = statement<
  { runId: string | null; wanted: number },
  { readonly granted: number | null }
>('take-allowance', import.meta.url);

/** The wait in ms for the next second of a ramp: it may have begun at any time. */
const rampWaitMs = 200;

/** The due events of a tick. `unrouted` returns how many open events no route matches. */
export type DueEvents = ClaimSource<TickStop> & { readonly unrouted: () => number };

/** Opens the events that were due when the tick began: events that fail during the tick wait for a later one. */
export function openDueEvents(
  deps: DeliveryDeps,
  runId: string | null,
  slot: Pick<HeldSlot, 'dueAt' | 'report'>,
): DueEvents {
  const { db, routes, retry } = deps;
  const cursor = openKeyCursor(db);
  const fronts = openFronts(db);
  let routed: Awaited<ReturnType<typeof routeLanes>> | undefined;
  let routedAt = '';
  /** What this worker may claim if another session has locked the run, with which all workers share the limit. */
  let allowance = retry.maxEventsPerTick ?? 0;
  let isShared = runId !== null;

  return { claim, obeysBreakers: () => true, unrouted: () => routed?.unrouted ?? 0 };

  async function claim(room: Room): Promise<Claim<TickStop>> {
    const routed = await route();
    const wasEmpty = room.isEmpty();
    const lease = openLease(retry.leaseSeconds);
    const lanes = routed.lanes.filter(({ route }) => room.has(route));
    const size = room.sizeFor(lanes.map(({ route }) => route));
    const limit = lanes.length === 0 ? 0 : await takeLimit(size);
    if (lanes.length > 0 && limit === 0) return { claimed: [], lease, stopped: 'event limit reached' };
    const due = limit === 0 ? noneDue : await claimDue(lanes, { room, limit, lease });
    const claim = { claimed: due.claimed, lease, ...(due.lost && { lost: due.lost }), waitMs: due.waitMs };
    const isIdle = wasEmpty && due.claimed.length === 0 && !due.mayHaveMore && due.waitMs === undefined;
    if (isIdle) return (await isMoreDue()) ? { ...claim, waitMs: 0 } : { ...claim, stopped: 'nothing due' };
    const needsHelp = due.claimed.length * 2 > size;
    return { ...claim, needsHelp, ...(due.mayHaveMore && { waitMs: 0 }) };
  }

  /** Routes the lanes again after a later tick has extended the run: its events may be in new ones. */
  async function route() {
    if (routed === undefined || routedAt !== slot.dueAt()) {
      routedAt = slot.dueAt();
      routed = await routeLanes(deps);
    }
    return routed;
  }

  /** Whether a later tick found this one running and left the events to it that became due since. */
  async function isMoreDue(): Promise<boolean> {
    const dueAt = slot.dueAt();
    await slot.report();
    return slot.dueAt() !== dueAt;
  }

  async function claimDue(lanes: readonly Lane[], { room, limit, lease }: Allowed): Promise<Due> {
    let events: Awaited<ReturnType<typeof claimFrom>> = [];
    // A fast target does not make the claims of a slow one large.
    const limits = new Map(lanes.map(({ route }) => [route, Math.min(limit, room.sizeFor([route]))]));
    const { claimed, quotas, waitMs } = await claimWithinRates(db, limits, async (granted) => {
      events = await claimFrom(lanes, { quotas: granted, limit, lease });
      return events
        .filter(({ refusal }) => refusal === null)
        .map((event): Claimed => {
          const isSuspect = event.losses > 1;
          return { event, route: findRoute(routes, event), ...(isSuspect && { isSuspect }) };
        });
    });
    const count = events.length;
    const byRoute = Map.groupBy(claimed, ({ route }) => route);
    const isCutOff =
      count === limit || [...limits].some(([route, max]) => byRoute.get(route)?.length === max);
    const leased = claimed.filter(({ event }) => event.status === 'PROCESSING');
    const refused = events.filter(({ refusal, status }) => refusal !== null && status === 'PROCESSING');
    const closed = events.filter(({ status }) => status === 'FAILED_PERMANENTLY').length;
    const settled = await settleRefused(deps, runId, { refused, lease });
    const lost = {
      events: events.filter(({ losses }) => losses > 0).length,
      failedPermanently: closed + settled,
    };
    if (claimed.length < limit) await takeLimit(claimed.length - limit);
    const ramping = count < limit ? await findRamping(lanes) : [];
    const spent = lanes.filter((lane) => quotas.get(lane.route) === 0 || ramping.includes(lane));
    const isWorthWaiting = spent.length > 0 && (count > 0 || (await hasDue(spent)));
    return {
      claimed: leased,
      lost,
      mayHaveMore: cursor.hasMore(events) || isCutOff || leased.length < count,
      waitMs: isWorthWaiting ? (ramping.length > 0 ? rampWaitMs : waitMs) : undefined,
    };
  }

  /** Claims due events; in an ordered lane only the heads of its keys. */
  async function claimFrom(
    lanes: readonly Lane[],
    { quotas, limit, lease }: { readonly quotas: Quotas; readonly limit: number; readonly lease: Lease },
  ) {
    const dueAt = slot.dueAt();
    const granted = lanes.filter(({ route }) => quotas.get(route) !== 0);
    const ordered = granted.filter(({ isOrdered }) => isOrdered);
    const heads = await cursor.next(ordered, { dueAt, limit });
    const found = await fronts.find(
      granted.filter(({ isOrdered }) => !isOrdered),
      dueAt,
    );
    const wanted = granted
      .filter(({ lane, isOrdered }) => (isOrdered ? heads : found).has(lane))
      .map(({ lane, route, maxRetries, target, rules }) => {
        const quota = quotas.get(route) ?? 0;
        const { ids, priority } = heads.get(lane) ?? {};
        const from = { fronts: found.get(lane), heads: ids, headPriority: priority };
        const origin = { lane, route: routes.indexOf(route), ...from };
        return { ...origin, quota, maxRetries, target, rules };
      });
    if (wanted.length === 0) return [];
    const { leaseSeconds, maxLost } = retry;
    const leaseToken = lease.token;
    const terms = { runId, limit, dueAt, leaseToken, leaseSeconds, maxLost };
    const claimed = await claimEvents(db, { lanes: wanted, ...terms });
    fronts.advance(claimed, limit);
    return claimed;
  }

  /** Finds the lanes whose target gets only a few events per second, because its breaker has just closed. */
  async function findRamping(lanes: readonly Lane[]): Promise<readonly Lane[]> {
    const targets = new Set((await listRamps(db, {})).map(({ target }) => target));
    return lanes.filter(({ target }) => targets.has(target));
  }

  /** Takes from the event limit that all workers of a tick share; a negative number returns unused events. */
  async function takeLimit(wanted: number): Promise<number> {
    if (retry.maxEventsPerTick === null) return wanted;
    const taken = isShared ? await unlessLocked(takeAllowance(db, { runId, wanted }), undefined) : undefined;
    isShared = taken !== undefined;
    const granted = taken ? (taken[0]?.granted ?? 0) : Math.min(wanted, allowance);
    allowance -= granted;
    return granted;
  }

  async function hasDue(lanes: readonly Lane[]): Promise<boolean> {
    const [found] = await hasDueEvents(db, { lanes: lanes.map(({ lane }) => lane), dueAt: slot.dueAt() });
    return found?.hasDue ?? false;
  }
}

type Allowed = { readonly room: Room; readonly limit: number; readonly lease: Lease };

type Due = Pick<Claim<TickStop>, 'claimed' | 'lost' | 'waitMs'> & {
  /** Claiming again at once can find more. */
  readonly mayHaveMore: boolean;
};

const noneDue: Due = { claimed: [], mayHaveMore: false, waitMs: undefined };
