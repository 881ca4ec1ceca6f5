import { minClaimOf } from './claim-sizes.ts';
import { type Limited, type Limits, nameSamples } from './deal.ts';
import type { EventGroup, Leased } from './picker.ts';
import { concurrencyOf, type Work } from './work-state.ts';

// The limits that a worker knows by itself: by what it holds, and by what it saw of its targets and causes.
// Those that all workers share are in limits.ts.

/** Leases of the largest size in flight at once. They are held in memory, without the messages. */
const maxLeases = 4;

type OfTarget = Pick<EventGroup, 'target'>;

/** Until when its target takes no more, or seems down, by `performance.now()`. */
export function waitsUntil({ health, picker }: Work, { target }: OfTarget): number {
  const { pausedUntil, downUntil } = health.of(target);
  return Math.max(pausedUntil, picker.obeysBreakers ? downUntil : 0);
}

function isWaiting(work: Work, of: OfTarget): boolean {
  return performance.now() < waitsUntil(work, of);
}

type Sampled = Pick<EventGroup, 'cause' | 'kind'>;

function samplesLeft({ health, picker }: Work, { cause, kind }: Sampled): number {
  const isSampled = cause !== null && picker.samplesCauses;
  return isSampled ? health.causes.samplesLeft(cause, kind) : Number.POSITIVE_INFINITY;
}

/** Whether the samples of a cause fail: what is like them would only fail again. */
export function isFailing(work: Work, sampled: Sampled): boolean {
  return samplesLeft(work, sampled) <= 0;
}

/** The groups of which samples go first, and how many of each cause beside those in flight. */
function limitSamples(work: Work, groups: readonly EventGroup[]) {
  const isLimited = (each: Sampled) => Number.isFinite(samplesLeft(work, each));
  const sampled = new Set(groups.filter(isLimited));
  const samples = new Map([...sampled].map((group) => [nameSamples(group), samplesLeft(work, group)]));
  for (const leased of sampled.size > 0 ? work.inFlight : []) {
    const left = samples.get(nameSamples(leased));
    if (left !== undefined && isLimited(leased)) samples.set(nameSamples(leased), Math.max(0, left - 1));
  }
  return { sampled, samples };
}

/** Whether a leased event has to wait: also if its cause fails by itself. */
export function hasToWait(work: Work, leased: Leased): boolean {
  return isWaiting(work, leased) || (work.picker.obeysBreakers && isFailing(work, leased));
}

/** Whether more events of a group can be leased. */
export function hasRoom(work: Work, group: EventGroup): boolean {
  const { inFlight, suspects, deps } = work;
  return (
    inFlight.size <= (maxLeases - 1) * deps.retry.batchSize &&
    suspects.length === 0 &&
    !concurrencyOf(work, group.route).isFull() &&
    !isWaiting(work, group)
  );
}

/** As many as the targets lately accepted, and no more than the lease can carry. */
function sizeFor({ sizes, deps: { retry } }: Work, groups: readonly EventGroup[]): number {
  const carried = [...new Set(groups.map(({ route }) => route))].reduce(
    (sum, { policy }) =>
      sum + policy.concurrency * Math.max(1, Math.floor(retry.leaseSeconds / policy.timeoutSeconds)),
    0,
  );
  const targets = groups.map(({ target }) => target);
  const lately = sizes.of(targets, performance.now());
  return lately > minClaimOf(retry.batchSize) ? lately : Math.min(lately, carried);
}

export function limitLease(work: Work, groups: readonly EventGroup[]): Limits {
  // A fast target does not make the leases of a slow one large.
  const byRoute = [...Map.groupBy(groups, ({ route }) => route)];
  const sizes = byRoute.map(([route, ofRoute]) => [route, sizeFor(work, ofRoute)] as const);
  const { sampled, samples } = limitSamples(work, groups);
  return { all: sizeFor(work, groups), parts: new Map<Limited, number>([...sizes, ...samples]), sampled };
}
