import * as v from 'valibot';
import { TimeSchema } from '../config/time.ts';
import { described } from '../response-values.ts';

/** How a replay begins, and what pauses it. */
export type Pace = {
  readonly meaning: string;
  /** Deliveries per step; after the last step there is no limit. */
  readonly ramp?: readonly number[];
  /** Pauses the run after the first step, unless it was resumed since its first delivery. */
  readonly hasCanary?: boolean;
  readonly ratePerSecond?: number;
  /** Pauses the run if more than this ratio of its latest deliveries failed. */
  readonly maxFailureRatio?: number;
};

export const paces = {
  careful: {
    meaning: '1 event, then it waits for you; then steps of 5, 20 and 100. Pauses above 10 % failures.',
    ...{ ramp: [1, 5, 20, 100], hasCanary: true, maxFailureRatio: 0.1 },
  },
  normal: {
    meaning: 'Steps of 10, 50 and 200, each of which must pass; then all.',
    ...{ ramp: [10, 50, 200], maxFailureRatio: 0.5 },
  },
  gentle: {
    meaning: 'At most 10 a second; pauses above 50 % failures.',
    ...{ ratePerSecond: 10, maxFailureRatio: 0.5 },
  },
  fast: { meaning: 'At the limits of the target; pauses above 50 % failures.', maxFailureRatio: 0.5 },
  ungated: { meaning: 'Each event once, whatever fails before: nothing pauses it.' },
} satisfies Record<string, Pace>;

export const paceNames = Object.keys(paces) as (keyof typeof paces)[];

/** A member of a request that is false unless it is set. */
export const flag = (description: string) =>
  v.optional(described(v.boolean('Use true or false.'), description), false);

const rateRemedy = 'Use a number from 0.00001 to 100000.';

/** The fields of a request that say when and how fast a run delivers, and what pauses it. */
export const rolloutFields = {
  startAt: v.optional(
    described(TimeSchema, 'Delivers nothing before: the job `replays` starts the run within five minutes.'),
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

/** How fast a run delivers, and when. */
export type Rollout = Readonly<v.InferOutput<v.ObjectSchema<typeof rolloutFields, undefined>>>;

export function paceOf({ pace }: Pick<Rollout, 'pace'>): Pace {
  return paces[pace];
}

/** The deliveries per second that a run is limited to. */
export function rateOf(rollout: Rollout): number | undefined {
  return rollout.ratePerSecond ?? paceOf(rollout).ratePerSecond;
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

/**
 * Decides how a run continues: `because` of what it is to pause, or `upTo` how many deliveries it may have
 * started in total, at least one more. Depends on the run's row alone, so that all workers decide the same.
 */
export function decideRollout({ rollout, recent, doneInStage, stageBeganWith }: RolloutState) {
  const { ramp = [], hasCanary, maxFailureRatio } = paceOf(rollout);
  const ends = ramp.map((_, last) => ramp.slice(0, last + 1).reduce((sum, step) => sum + step));
  const stepsDone = ends.findLast((end) => end <= doneInStage);
  const because =
    findTooManyFailures(maxFailureRatio, recent, stepsDone) ??
    (hasCanary && stageBeganWith === 0 && stepsDone !== undefined ? describeCanary(recent) : undefined);
  return { because, upTo: stageBeganWith + Math.min(...ends.filter((end) => end > doneInStage)) };
}

/** The latest deliveries by which a run is judged: dlq_count_run_outcomes keeps as many. */
const maxRecent = 50;

/** Failures after which a run in which nothing passed is paused: so many events are not sick by chance. */
const longRow = 12;

/**
 * Returns how many deliveries may be in flight, so that a run exceeds the failures at which it is paused
 * by at most `spare`: these plus the failures left until then. Infinity if nothing pauses it.
 */
export function limitInFlight(
  { rollout, recent }: Pick<RolloutState, 'rollout' | 'recent'>,
  spare: number,
): number {
  const { maxFailureRatio } = paceOf(rollout);
  if (maxFailureRatio === undefined) return Number.POSITIVE_INFINITY;
  const { delivered, failed, ofTarget } = countOutcomes(recent);
  const untilDown = Math.floor(maxFailureRatio * maxRecent) + 1 - ofTarget;
  const untilAll = delivered > 0 ? Number.POSITIVE_INFINITY : longRow - failed;
  return spare + Math.max(0, Math.min(untilDown, untilAll));
}

/**
 * A run is judged by its target once its latest deliveries are as many as are kept; in a ramp, after each
 * step. A cause that fails by itself stops a run only if nothing passes.
 */
function findTooManyFailures(maxRatio: number | undefined, recent: string, stepsDone = maxRecent) {
  if (maxRatio === undefined) return undefined;
  const { delivered, failed, ofTarget } = countOutcomes(recent);
  if (delivered === 0 && failed >= longRow)
    return `All of the last ${failed} deliveries failed. Fix the cause, then resume.`;
  const judged = delivered + ofTarget;
  if (recent.length < Math.min(maxRecent, stepsDone) || ofTarget <= maxRatio * judged) return undefined;
  const percent = (part: number) => `${Math.round(100 * part)} %`;
  const share = `The target did not take ${ofTarget} of the last ${judged} deliveries (${percent(ofTarget / judged)})`;
  return `${share}: the gate allows ${percent(maxRatio)}. Fix the cause, then resume.`;
}

function describeCanary(recent: string): string {
  const { failed } = countOutcomes(recent);
  const result = failed > 0 ? `${failed} of ${recent.length} failed` : 'it was delivered';
  return `The canary is done: ${result}. Check it, then resume.`;
}

/** Counts recent outcomes; `failed` includes those `ofTarget`. */
function countOutcomes(recent: string) {
  const of = (letter: string) => recent.split(letter).length - 1;
  return { delivered: of('d'), failed: of('f') + of('t'), ofTarget: of('t') };
}
