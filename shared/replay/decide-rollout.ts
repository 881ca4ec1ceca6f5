import type { Rollout } from './rollout.ts';

/**
 * The state that decides how a run continues. `recent` has one character per recent outcome: "d" delivered,
 * "f" failed, "t" failed for what is about the target.
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
  const { delivered, failed, ofTarget } = countOutcomes(recent);
  const untilDown = Math.floor(gate.maxFailureRatio * gate.window) + 1 - ofTarget;
  const untilAll = delivered > 0 ? Number.POSITIVE_INFINITY : Math.min(gate.window, longRow) - failed;
  return spare + Math.max(0, Math.min(untilDown, untilAll));
}

/** Failures after which a run in which nothing passed is paused: so many events are not sick by chance. */
const longRow = 12;

/**
 * A gate decides about the target once its window is full; in a ramp, after each step. A cause that fails by
 * itself stops a run only if nothing passes.
 */
function findTooManyFailures(gate: Rollout['gate'], recent: string, stepsDone?: number): string | undefined {
  if (!gate) return undefined;
  const { delivered, failed, ofTarget } = countOutcomes(recent);
  if (delivered === 0 && failed >= Math.min(gate.window, longRow))
    return `All of the last ${failed} deliveries failed. Fix the cause, then resume.`;
  const judged = delivered + ofTarget;
  if (recent.length < Math.min(gate.window, stepsDone ?? gate.window)) return undefined;
  if (ofTarget <= gate.maxFailureRatio * judged) return undefined;
  const percent = (part: number) => `${Math.round(100 * part)} %`;
  const share = `The target did not take ${ofTarget} of the last ${judged} deliveries (${percent(ofTarget / judged)})`;
  return `${share}: the gate allows ${percent(gate.maxFailureRatio)}. Fix the cause, then resume.`;
}

function findCanaryDone(canary: number | undefined, recent: string, done: number): string | undefined {
  if (canary === undefined || done < canary) return undefined;
  const { failed } = countOutcomes(recent);
  // Only a run with a gate keeps its recent outcomes.
  const result = recent === '' ? '' : `, ${failed || 'none'} of the last ${recent.length} failed`;
  return `The canary of ${canary} is done${result}. Check its events, then resume.`;
}

/** Counts recent outcomes; `failed` includes those `ofTarget`. */
function countOutcomes(recent: string) {
  const of = (letter: string) => recent.split(letter).length - 1;
  return { delivered: of('d'), failed: of('f') + of('t'), ofTarget: of('t') };
}

/** Returns after how many deliveries each step ends: [1, 5, 20] becomes [1, 6, 26]. */
export function sumUp(steps: readonly number[]): number[] {
  let sum = 0;
  return steps.map((step) => {
    sum += step;
    return sum;
  });
}
