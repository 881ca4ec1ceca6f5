import type { Policy } from '../delivery/policy/policy.ts';
import type { TargetState } from '../delivery/read-states.ts';
import type { Run } from './run.ts';

type Load = {
  readonly events: number;
  readonly policy: Pick<Policy, 'concurrency' | 'ratePerSecond'>;
  readonly latest: TargetState['latest'];
};

/**
 * Estimates the seconds in which one worker delivers the events of all routes: by the rate of the run, the
 * rate of each route, and what its concurrency allows at the median duration of the latest deliveries. Null
 * if a route has neither.
 */
export function estimateSeconds(loads: readonly Load[], runRate = Number.POSITIVE_INFINITY): number | null {
  const seconds = loads.map(({ events, policy, latest }) => {
    const atLatency = latest
      ? (1000 * policy.concurrency) / Math.max(1, latest.medianMs)
      : Number.POSITIVE_INFINITY;
    return events / Math.min(policy.ratePerSecond ?? Number.POSITIVE_INFINITY, atLatency, runRate);
  });
  const all = loads.reduce((sum, { events }) => sum + events, 0) / runRate;
  if (loads.length === 0 || seconds.includes(0)) return null;
  return Math.max(all, ...seconds);
}

type Measured = Pick<Run, 'endedAt' | 'pausedBecause' | 'doneInStage' | 'stageBeganAt' | 'waiting'>;

/**
 * Measures the deliveries per second of a running run since it was started or resumed, and when it is done
 * at that speed; null for both while nothing is known.
 */
export function measureSpeed(
  { endedAt, pausedBecause, doneInStage, stageBeganAt, waiting }: Measured,
  now: Date,
) {
  const seconds = (now.getTime() - stageBeganAt.getTime()) / 1000;
  const isRunning = endedAt === null && pausedBecause === null;
  if (!isRunning || doneInStage === 0 || seconds <= 0) return { ratePerSecond: null, doneAt: null };
  const ratePerSecond = doneInStage / seconds;
  return { ratePerSecond, doneAt: new Date(now.getTime() + (waiting / ratePerSecond) * 1000) };
}
