import type { Policy } from '../delivery/policy/policy.ts';
import type { TargetState } from '../delivery/read-states.ts';
import type { Run } from './run.ts';

type Load = { readonly events: number; readonly policy: Policy; readonly state: TargetState | undefined };

/**
 * Estimates the seconds in which one worker delivers the events of all routes: by the rate of the run, the
 * rate of each route, the ramp of a target that comes back, and what its concurrency allows at the median
 * duration of the latest deliveries. Null if a route has no rate and no latest deliveries.
 */
export function estimateSeconds(loads: readonly Load[], runRate = noLimit): number | null {
  const all = loads.reduce((sum, { events }) => sum + events, 0) / runRate;
  const seconds = loads.map(({ events, policy, state: { state = 'up', latest = null, ramp = [] } = {} }) => {
    const isBack = state === 'up' || state === 'unused';
    const atLatency = latest ? (1000 * policy.concurrency) / Math.max(1, latest.medianMs) : noLimit;
    const rate = Math.min(policy.ratePerSecond ?? noLimit, atLatency, runRate);
    return secondsAt(rate, events, isBack ? ramp : policy.breaker.ramp);
  });
  const longest = Math.max(all, ...seconds);
  return loads.length > 0 && longest !== noLimit ? longest : null;
}

const noLimit = Number.POSITIVE_INFINITY;

function secondsAt(rate: number, events: number, ramp: readonly number[]): number {
  if (rate === noLimit) return noLimit;
  let [left, seconds] = [events, 0];
  for (const step of ramp) {
    const inSecond = Math.min(step, rate);
    seconds += left > inSecond ? 1 : left / Math.max(1, inSecond);
    left = Math.max(0, left - inSecond);
  }
  return seconds + left / rate;
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
