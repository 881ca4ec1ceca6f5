import type { Pace } from './pace.ts';

/** What of a run decides how it goes on: its pace, its outcomes of late ("d" or "f" each), and how many it has. */
export type Course = {
  readonly pace: Pace;
  readonly recent: string;
  /** Deliveries, failed ones included, since the run began or was last resumed, and before that. */
  readonly done_in_leg: number;
  readonly leg_began_with: number;
};

/** `upTo` is how many deliveries the run may have begun in all; Infinity where nothing holds it back. */
export type Decision =
  | { readonly act: 'deliver'; readonly upTo: number }
  | { readonly act: 'pause'; readonly because: string };

/**
 * Decides from a run's row alone how it goes on, so that any worker comes to the same at any time. It always either
 * pauses or lets at least one more delivery begin.
 */
export function decidePace({ pace, recent, done_in_leg, leg_began_with }: Course): Decision {
  const ends = [...sumUp(pace.ramp ?? []), ...(pace.canary === undefined ? [] : [pace.canary])];
  const because =
    findTooManyFailures(
      pace.gate,
      recent,
      ends.findLast((end) => end <= done_in_leg),
    ) ?? findCanaryDone(pace.canary, recent, done_in_leg);
  if (because !== undefined) return { act: 'pause', because };
  const next = ends.filter((end) => end > done_in_leg);
  return { act: 'deliver', upTo: leg_began_with + Math.min(...next) };
}

/** A gate judges once its window is full, and in a ramp already what the steps so far have shown. */
function findTooManyFailures(gate: Pace['gate'], recent: string, stepsDone?: number): string | undefined {
  if (!gate || recent.length < Math.min(gate.window, stepsDone ?? gate.window)) return undefined;
  const failed = countFailed(recent);
  if (failed <= gate.maxFailureRatio * recent.length) return undefined;
  const percent = (part: number) => `${Math.round(100 * part)} %`;
  const share = `${failed} of the last ${recent.length} deliveries failed (${percent(failed / recent.length)})`;
  return `${share}: the gate lets ${percent(gate.maxFailureRatio)} pass. See why, and resume.`;
}

function findCanaryDone(canary: number | undefined, recent: string, done: number): string | undefined {
  if (canary === undefined || done < canary) return undefined;
  const failed = countFailed(recent);
  const seen = failed === 0 ? 'none of the last failed' : `${failed} of the last ${recent.length} failed`;
  return `The canary of ${canary} is through, ${seen}. See what became of it, and resume.`;
}

function countFailed(recent: string): number {
  return recent.split('f').length - 1;
}

/** [1, 5, 20] becomes [1, 6, 26]: after how many deliveries each step ends. */
function sumUp(steps: readonly number[]): number[] {
  let sum = 0;
  return steps.map((step) => {
    sum += step;
    return sum;
  });
}
