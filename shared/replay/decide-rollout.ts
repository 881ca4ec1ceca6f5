import type { Rollout } from './rollout.ts';

/**
 * The state that decides how a run continues. `recent` has one character per recent outcome: "d" delivered,
 * "f" failed.
 */
export type RolloutState = {
  readonly rollout: Rollout;
  readonly recent: string;
  /**
   * Deliveries, including failed ones, since the run was started or last resumed; `stageBeganWith`: before
   * that.
   */
  readonly doneInStage: number;
  readonly stageBeganWith: number;
};

/** `upTo`: how many deliveries the run may have started in total; Infinity without a limit. */
export type Decision =
  | { readonly kind: 'deliver'; readonly upTo: number }
  | { readonly kind: 'pause'; readonly because: string };

/**
 * Decides how a run continues. The decision depends on the run's row alone, so that all workers decide the
 * same: it is to pause, or allows at least one more delivery.
 */
export function decideRollout({ rollout, recent, doneInStage, stageBeganWith }: RolloutState): Decision {
  const ends = [...sumUp(rollout.ramp ?? []), ...(rollout.canary === undefined ? [] : [rollout.canary])];
  const stepsDone = ends.findLast((end) => end <= doneInStage);
  const because =
    findTooManyFailures(rollout.gate, recent, stepsDone) ??
    findCanaryDone(rollout.canary, recent, doneInStage);
  if (because !== undefined) return { kind: 'pause', because };
  const next = ends.filter((end) => end > doneInStage);
  return { kind: 'deliver', upTo: stageBeganWith + Math.min(...next) };
}

/**
 * Returns how many deliveries may be in flight, so that a run exceeds the failures at which its gate closes
 * by at most `spare`: these plus the failures left until then. Infinity without a gate.
 */
export function limitInFlight(
  { rollout: { gate }, recent }: Pick<RolloutState, 'rollout' | 'recent'>,
  spare: number,
): number {
  if (!gate) return Number.POSITIVE_INFINITY;
  const failuresLeft = Math.floor(gate.maxFailureRatio * gate.window) + 1 - countFailed(recent);
  return spare + Math.max(0, failuresLeft);
}

/** A gate decides once its window is full; in a ramp, after each step. */
function findTooManyFailures(gate: Rollout['gate'], recent: string, stepsDone?: number): string | undefined {
  if (!gate || recent.length < Math.min(gate.window, stepsDone ?? gate.window)) return undefined;
  const failed = countFailed(recent);
  if (failed <= gate.maxFailureRatio * recent.length) return undefined;
  const percent = (part: number) => `${Math.round(100 * part)} %`;
  const share = `${failed} of the last ${recent.length} deliveries failed (${percent(failed / recent.length)})`;
  return `${share}: the gate allows ${percent(gate.maxFailureRatio)}. Fix the cause, then resume.`;
}

function findCanaryDone(canary: number | undefined, recent: string, done: number): string | undefined {
  if (canary === undefined || done < canary) return undefined;
  const failed = countFailed(recent);
  const result = failed === 0 ? 'no recent delivery failed' : `${failed} of the last ${recent.length} failed`;
  return `The canary of ${canary} is done, ${result}. Check its events, then resume.`;
}

function countFailed(recent: string): number {
  return recent.split('f').length - 1;
}

/** Returns after how many deliveries each step ends: [1, 5, 20] becomes [1, 6, 26]. */
export function sumUp(steps: readonly number[]): number[] {
  let sum = 0;
  return steps.map((step) => {
    sum += step;
    return sum;
  });
}
