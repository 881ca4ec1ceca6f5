import * as v from 'valibot';
import { TimeSchema } from '../config/time.ts';
import { described } from '../response-values.ts';

/** How fast a run delivers, and what pauses it. The run stores it, and a resumed one loses its canary. */
export type Rollout = {
  readonly pace?: Pace;
  readonly startAt?: string;
  readonly notAfter?: string;
  /** Deliveries per step; after the last step there is no limit. */
  readonly ramp?: readonly number[];
  /** The number of deliveries after which the run pauses until an operator resumes it. */
  readonly canary?: number;
  readonly ratePerSecond?: number;
  readonly waitForTarget?: boolean;
  readonly toHeldTargets?: boolean;
  /** Pauses the run if more than this ratio of its latest deliveries, up to `window`, failed. */
  readonly gate: false | { readonly window: number; readonly maxFailureRatio: number };
};

const gate = { window: 50, maxFailureRatio: 0.5 };

/** How fast a replay begins, each with a sentence. */
export const paces = {
  careful: {
    meaning: '1 event, then it waits for you; then steps of 5, 20 and 100. Pauses above 10 % failures.',
    rollout: { canary: 1, ramp: [1, 5, 20, 100], gate: { window: 50, maxFailureRatio: 0.1 } },
  },
  normal: {
    meaning: 'Steps of 10, 50 and 200, each of which must pass; then all.',
    rollout: { ramp: [10, 50, 200], gate },
  },
  gentle: {
    meaning: 'At most 10 a second; pauses above 50 % failures.',
    rollout: { ratePerSecond: 10, gate },
  },
  fast: { meaning: 'At the limits of the target; pauses above 50 % failures.', rollout: { gate } },
  ungated: {
    meaning: 'Each event once, whatever fails before: nothing pauses it.',
    rollout: { gate: false },
  },
} as const satisfies Record<string, { readonly meaning: string; readonly rollout: Rollout }>;

export type Pace = keyof typeof paces;

export const paceNames = Object.keys(paces) as [Pace, ...Pace[]];

/** A member of a request that is false unless it is set. */
export const flag = (description: string) =>
  v.optional(described(v.boolean('Use true or false.'), description), false);

const rateRemedy = 'Use a number from 0.00001 to 100000.';

/** The fields of a request that say when and how fast a run delivers, and what pauses it. */
export const rolloutFields = {
  startAt: v.optional(
    described(TimeSchema, 'Delivers nothing before: the first tick after this time starts the run.'),
  ),
  notAfter: v.optional(
    described(TimeSchema, 'Ends the run at this time; events that wait then keep their state.'),
  ),
  pace: v.optional(
    described(
      v.picklist(paceNames, `Use one of ${paceNames.join(', ')}.`),
      paceNames.map((name) => `${name}: ${paces[name].meaning}`).join(' '),
    ),
    'normal',
  ),
  ratePerSecond: v.optional(
    described(
      v.pipe(v.number(rateRemedy), v.minValue(0.000_01, rateRemedy), v.maxValue(100_000, rateRemedy)),
      'Deliveries per second, by all workers of the run together.',
    ),
  ),
  waitForTarget: flag(
    'Waits while the breaker of a target is open; ticks check whether it is back. Without it the run delivers whatever the breaker says.',
  ),
  toHeldTargets: flag(
    'Also delivers to targets that an operator holds, or that asked for a pause; without it the run waits.',
  ),
};

type Fields = v.InferOutput<v.ObjectSchema<typeof rolloutFields, undefined>>;

/** The rollout that a request asks for. */
export function toRollout(fields: Fields): Rollout {
  const { pace, ratePerSecond, waitForTarget, toHeldTargets, startAt, notAfter } = fields;
  return {
    pace,
    ...paces[pace].rollout,
    ...(ratePerSecond !== undefined && { ratePerSecond }),
    ...(waitForTarget && { waitForTarget }),
    ...(toHeldTargets && { toHeldTargets }),
    ...(startAt !== undefined && { startAt }),
    ...(notAfter !== undefined && { notAfter }),
  };
}

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
  return steps.map((_, last) => steps.slice(0, last + 1).reduce((sum, step) => sum + step));
}
