import * as v from 'valibot';
import { countOf } from '../count-of.ts';
import { statement } from '../database/statement.ts';
import { type Breaker, judgeTarget, readBreakers } from '../delivery/breakers.ts';
import type { Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { maskPatch } from '../events/masking/mask-request.ts';
import { listMasks } from '../events/masking/mask-rules.ts';
import {
  count,
  described,
  integerOrNull,
  listOf,
  object,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../response-values.ts';
import { sumEvents } from './estimate-selection.ts';
import { maxJudged } from './list-run-events.ts';
import type { ReplayDeps } from './replay-deps.ts';
import { sumUp } from './rollout.ts';
import { describeRun, isScheduled, pickRun, type Run, RunSchema, routeIn } from './run.ts';
import { type SkipReason, skipReasons } from './skip-reasons.ts';

/** The throughput of a run: its settled events by time. */
const ThroughputSchema = described(
  listOf(v.strictObject({ at: time, delivered: count, failed: count, skipped: count })),
  'Settled events by time: in periods of 5 s in its first 10 minutes, of a minute in its first 6 hours, and of an hour after that. Periods without any are left out.',
);

/** The answers of targets to the deliveries of a run, in groups. */
const AnswersSchema = described(
  listOf(
    v.strictObject({
      outcome: v.picklist(['delivered', 'failed']),
      reason: described(textOrNull, 'The kind of the failure.'),
      responseStatus: integerOrNull,
      events: count,
      example: described(text, 'The id of one of these events.'),
      error: described(textOrNull, 'The error of one of these events.'),
    }),
  ),
  'The last 500 failed and the last 500 delivered events by the answer of their target, failures first.',
);

type Throughput = v.InferOutput<typeof ThroughputSchema>;
type Answers = v.InferOutput<typeof AnswersSchema>;

type Outcome = 'delivered' | 'failed' | 'skipped';

/** Settled events of one period, outcome and reason. */
type RunCount = {
  readonly at: Date;
  readonly outcome: Outcome;
  readonly reason: string | null;
  readonly events: number;
};

const listRunCounts = statement<{ runId: string }, RunCount>('list-run-counts');

const listAnswers = statement<{ runId: string; max: number }, Answers[number]>('list-run-answers');

const maxAnswers = 500;

/** Adds up counts by time. */
function toThroughput(counts: readonly RunCount[]): Throughput {
  const byTime = Map.groupBy(counts, ({ at }) => at.getTime());
  return [...byTime].map(([at, ofTime]) => {
    const sum = (outcome: Outcome) => sumEvents(ofTime.filter((each) => each.outcome === outcome));
    return { at: new Date(at), delivered: sum('delivered'), failed: sum('failed'), skipped: sum('skipped') };
  });
}

/** The events of one outcome by reason, the most frequent reason first. */
function sumByReason(counts: readonly RunCount[], outcome: Outcome) {
  const byReason = Map.groupBy(
    counts.filter((each) => each.outcome === outcome),
    ({ reason }) => reason,
  );
  return [...byReason]
    .map(([reason, ofReason]) => ({ reason, events: sumEvents(ofReason) }))
    .sort((a, b) => b.events - a.events);
}

const RampStepSchema = described(
  v.nullable(v.strictObject({ step: count, of: count, deliveries: count, done: count })),
  'The step of its ramp, from 1, and how many of its deliveries are done; null without a ramp, and after its last step.',
);

/** The step of its ramp that a run is in. */
function findRampStep({ rollout, doneInStage }: Pick<Run, 'rollout' | 'doneInStage'>) {
  const ramp = rollout.ramp ?? [];
  const index = sumUp(ramp).findIndex((end) => end > doneInStage);
  if (index === -1) return null;
  const before = sumUp(ramp)[index - 1] ?? 0;
  return { step: index + 1, of: ramp.length, deliveries: ramp[index] ?? 0, done: doneInStage - before };
}

/** Seconds without a settled event after which a running replay counts as stalled. */
const maxIdleSeconds = 30;

const StallSchema = described(
  v.nullable(v.strictObject({ since: time, because: text })),
  `Since when and why a running replay has settled no event; null while it makes progress, at least every ${maxIdleSeconds} s.`,
);

const counts = v.record(v.string(), count);

/** A run in full. */
export const RunDetailSchema = v.strictObject({
  ...RunSchema.entries,
  selectionHash: described(text, 'SHA-256 of the selected ids in order, separated by commas.'),
  excluded: described(counts, 'Events that matched and were not selected, by reason.'),
  rollout: described(object, 'Ramp, canary, rate and gate.'),
  rampStep: RampStepSchema,
  patch: described(v.nullable(v.array(v.unknown())), 'The JSON Patch that applies to every event.'),
  idempotencyKey: textOrNull,
  ratePerSecond: described(
    v.nullable(v.number()),
    'Deliveries per second since it began or was last resumed.',
  ),
  doneAt: described(timeOrNull, 'The expected end at this rate.'),
  stall: StallSchema,
  throughput: ThroughputSchema,
  answers: AnswersSchema,
  failedBecause: described(
    counts,
    'Failed events by kind of outcome; an event has the response of its target.',
  ),
  skippedBecause: v.array(v.strictObject({ reason: textOrNull, events: count, meaning: text })),
  verified: described(
    v.strictObject({ recurred: count, recovered: count, delivered: count }),
    `Of the last ${maxJudged} delivered events: those that failed at their consumer again, that did not for 24 hours, and all others.`,
  ),
});

type Judgement = { readonly checked: number; readonly recurred: number; readonly recovered: number };

const judgeRun = statement<{ runId: string; max: number }, Judgement>('judge-run');

/** Returns a run with its outcomes by reason, its speed, its answers and its recurrences. */
export async function showRun(deps: Pick<ReplayDeps, 'db' | 'routes' | 'masks'>, run: Run, now: Date) {
  const { db } = deps;
  const [counts, [judged], answers, stall] = await Promise.all([
    listRunCounts(db, { runId: run.id }),
    judgeRun(db, { runId: run.id, max: maxJudged }),
    listAnswers(db, { runId: run.id, max: maxAnswers }),
    findStall(deps, run, now),
  ]);
  const { checked, recurred, recovered } = judged ?? { checked: 0, recurred: 0, recovered: 0 };
  const paths = listMasks(deps);
  const brief = describeRun(run, paths);
  return {
    ...brief,
    selectionHash: run.selectionHash,
    excluded: run.excluded,
    rollout: run.rollout,
    rampStep: brief.state === 'ended' ? null : findRampStep(run),
    patch: run.patch === null ? null : maskPatch(JSON.parse(run.patch), paths),
    idempotencyKey: run.idempotencyKey,
    ...measureSpeed(run, now),
    stall,
    throughput: toThroughput(counts),
    answers,
    failedBecause: Object.fromEntries(
      sumByReason(counts, 'failed').map(({ reason, events }) => [reason ?? '', events]),
    ),
    skippedBecause: sumByReason(counts, 'skipped').map(({ reason, events }) => ({
      reason,
      events,
      meaning: skipReasons[reason as SkipReason],
    })),
    verified: { recurred, recovered, delivered: checked - recurred - recovered },
  };
}

type Measured = Pick<Run, 'endedAt' | 'pausedBecause' | 'doneInStage' | 'stageBeganAt' | 'waiting'>;

/**
 * Measures the deliveries per second of a running run since it was started or resumed, and when it is done
 * at that speed; null for both while nothing is known.
 */
function measureSpeed({ endedAt, pausedBecause, doneInStage, stageBeganAt, waiting }: Measured, now: Date) {
  const seconds = (now.getTime() - stageBeganAt.getTime()) / 1000;
  const isRunning = endedAt === null && pausedBecause === null;
  if (!isRunning || doneInStage === 0 || seconds <= 0) return { ratePerSecond: null, doneAt: null };
  const ratePerSecond = doneInStage / seconds;
  return { ratePerSecond, doneAt: new Date(now.getTime() + (waiting / ratePerSecond) * 1000) };
}

type Stall = v.InferOutput<typeof StallSchema>;

/** Finds out whether a running replay makes progress; null if it does. */
async function findStall(deps: Pick<ReplayDeps, 'db' | 'routes'>, run: Run, now: Date): Promise<Stall> {
  const since = new Date(Math.max(run.stageBeganAt.getTime(), run.progressedAt?.getTime() ?? 0));
  const isRunning = !run.endedAt && !run.pausedBecause && !isScheduled(run, now);
  if (!isRunning || now.getTime() - since.getTime() < maxIdleSeconds * 1000) return null;
  return { since, because: await explainStall(deps, run) };
}

async function explainStall(deps: Pick<ReplayDeps, 'db' | 'routes'>, run: Run): Promise<string> {
  const { inFlight, rollout } = run;
  if (inFlight > 0) {
    const deliveries = countOf(inFlight, 'delivery has', 'deliveries have');
    return `${deliveries} begun and got no answer yet. Those of a lost worker are released when their lease ends.`;
  }
  const routes = await listRoutes(deps, run);
  if (routes.length === 0) return 'No route matches its events: configure one.';
  const targets = new Set(routes.map(({ target }) => nameTarget(target)));
  const breakers = [...(await readBreakers(deps.db)).values()].filter(({ target }) => targets.has(target));
  const held = rollout.toHeldTargets ? undefined : breakers.find(({ heldAt }) => heldAt !== null);
  if (held) return `${held.heldBy} holds ${held.target}: ${held.heldReason}.`;
  const isPaused = (each: Breaker) => judgeTarget(each, new Date()).state === 'paused';
  const paused = rollout.toHeldTargets ? undefined : breakers.find(isPaused);
  if (paused) return `${paused.target} asked for a pause until ${paused.pausedUntil?.toISOString()}.`;
  const down = rollout.waitForTarget ? breakers.find(({ state }) => state !== 'CLOSED') : undefined;
  if (down) return `${down.target} is down: the replay waits until it is back.`;
  const { ratePerSecond } = rollout;
  if (ratePerSecond !== undefined && ratePerSecond * maxIdleSeconds < 1)
    return `Its rate is one delivery in ${Math.round(1 / ratePerSecond)} s.`;
  return 'No worker is delivering its events. The next tick continues it.';
}

/** Waiting events whose routes explain why none of them goes. */
const maxExplained = 100;

async function listRoutes({ db, routes }: Pick<ReplayDeps, 'db' | 'routes'>, run: Run): Promise<Route[]> {
  const waiting = await pickRun(db, { runId: run.id, after: 0, max: maxExplained, hasOrdered: false });
  const stored = waiting.filter(({ whyNot }) => whyNot !== 'gone');
  return [...new Set(stored.flatMap((origin) => routeIn({ routes }, run, origin) ?? []))];
}
