import * as v from 'valibot';
import { countOf } from '../count-of.ts';
import { statement } from '../database/statement.ts';
import { readBreakers, turnOf } from '../delivery/breakers.ts';
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
import type { ReplayDeps } from './replay-deps.ts';
import { rateOf } from './rollout.ts';
import { describeRun, pickRun, type Run, RunSchema, routeIn } from './run.ts';
import { type SkipReason, skipReasons } from './skip-reasons.ts';

/** The results of a run, in groups. */
const AnswersSchema = described(
  listOf(
    v.strictObject({
      outcome: v.picklist(['failed', 'skipped', 'delivered']),
      reason: described(textOrNull, 'The kind of the failure, or why they were skipped, as a code.'),
      responseStatus: integerOrNull,
      events: count,
      example: described(text, 'The id of one of these events.'),
      error: described(textOrNull, 'The error of one of these events, or why it was skipped.'),
    }),
  ),
  'The last 500 failed, 500 skipped and 500 delivered events, by reason and by the answer of their target.',
);

type Answers = v.InferOutput<typeof AnswersSchema>;

const listAnswers = statement<{ runId: string; max: number }, Answers[number]>('list-run-answers');

const maxAnswers = 500;

/** The last delivered events of a run that are looked at for recurrences. */
const maxJudged = 5000;

/** Seconds without a settled event after which a running replay counts as stalled. */
const maxIdleSeconds = 30;

const StallSchema = described(
  v.nullable(v.strictObject({ since: time, because: text })),
  `Since when and why a running replay has settled no event; null while it makes progress, at least every ${maxIdleSeconds} s.`,
);

/** A run in full. */
export const RunDetailSchema = v.strictObject({
  ...RunSchema.entries,
  excluded: described(v.record(v.string(), count), 'Events that matched and were not selected, by reason.'),
  rollout: described(object, 'Its pace, its rate and its times.'),
  patch: described(v.nullable(v.array(v.unknown())), 'The JSON Patch that applies to every event.'),
  idempotencyKey: textOrNull,
  ratePerSecond: described(
    v.nullable(v.number()),
    'Deliveries per second since it began or was last resumed.',
  ),
  doneAt: described(timeOrNull, 'The expected end at this rate.'),
  stall: StallSchema,
  answers: AnswersSchema,
  verified: described(
    v.strictObject({ recurred: count, recovered: count, delivered: count }),
    `Of the last ${maxJudged} delivered events: those that failed at their consumer again, that did not for 24 hours, and all others.`,
  ),
});

type Judgement = { readonly checked: number; readonly recurred: number; readonly recovered: number };

const judgeRun = statement<{ runId: string; max: number }, Judgement>('judge-run');

/** Returns a run with its speed, its answers and its recurrences. */
export async function showRun(deps: Pick<ReplayDeps, 'db' | 'routes' | 'masks'>, run: Run, now: Date) {
  const { db } = deps;
  const [[judged], answers, stall] = await Promise.all([
    judgeRun(db, { runId: run.id, max: maxJudged }),
    listAnswers(db, { runId: run.id, max: maxAnswers }),
    findStall(deps, run, now),
  ]);
  const { checked, recurred, recovered } = judged ?? { checked: 0, recurred: 0, recovered: 0 };
  const paths = listMasks(deps);
  return {
    ...describeRun(run, paths),
    excluded: run.excluded,
    rollout: run.rollout,
    patch: run.patch === null ? null : maskPatch(JSON.parse(run.patch), paths),
    idempotencyKey: run.idempotencyKey,
    ...measureSpeed(run, now),
    stall,
    answers: answers.map((answer) => ({ ...answer, error: answer.error ?? explainSkip(answer) })),
    verified: { recurred, recovered, delivered: checked - recurred - recovered },
  };
}

const explainSkip = ({ outcome, reason }: Answers[number]) =>
  outcome === 'skipped' ? skipReasons[reason as SkipReason] : null;

type Measured = Pick<Run, 'state' | 'doneInStage' | 'stageBeganAt' | 'waiting'>;

/**
 * Measures the deliveries per second of a running run since it was started or resumed, and when it is done
 * at that speed; null for both while nothing is known.
 */
function measureSpeed({ state, doneInStage, stageBeganAt, waiting }: Measured, now: Date) {
  const seconds = (now.getTime() - stageBeganAt.getTime()) / 1000;
  if (state !== 'running' || doneInStage === 0 || seconds <= 0) return { ratePerSecond: null, doneAt: null };
  const ratePerSecond = doneInStage / seconds;
  return { ratePerSecond, doneAt: new Date(now.getTime() + (waiting / ratePerSecond) * 1000) };
}

type Stall = v.InferOutput<typeof StallSchema>;

/** Finds out whether a running replay makes progress; null if it does. */
async function findStall(deps: Pick<ReplayDeps, 'db' | 'routes'>, run: Run, now: Date): Promise<Stall> {
  const since = new Date(Math.max(run.stageBeganAt.getTime(), run.progressedAt?.getTime() ?? 0));
  if (run.state !== 'running' || now.getTime() - since.getTime() < maxIdleSeconds * 1000) return null;
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
  const breakers = await readBreakers(deps.db);
  for (const name of new Set(routes.map(({ target }) => nameTarget(target)))) {
    const { state, because, until } = turnOf(breakers.get(name));
    const isObeyed = state === 'held' || state === 'paused' ? !rollout.toHeldTargets : rollout.waitForTarget;
    const more = [because && `by ${because}`, until && `until ${until.toISOString()}`].filter(Boolean);
    if (state !== 'open' && isObeyed) return `${[`${name} is ${state}`, ...more].join(', ')}.`;
  }
  const ratePerSecond = rateOf(rollout);
  if (ratePerSecond !== undefined && ratePerSecond * maxIdleSeconds < 1)
    return `Its rate is one delivery in ${Math.round(1 / ratePerSecond)} s.`;
  return 'No worker is delivering its events. The next tick continues it.';
}

/** Waiting events whose routes explain why none of them goes. */
const maxExplained = 100;

async function listRoutes({ db, routes }: Pick<ReplayDeps, 'db' | 'routes'>, run: Run): Promise<Route[]> {
  const waiting = await pickRun(db, { runId: run.id, after: 0, max: maxExplained, hasOrdered: false });
  const stored = waiting.filter(({ whyNot }) => whyNot !== 'gone');
  return [...new Set(stored.flatMap((origin) => routeIn(routes, run.request, origin) ?? []))];
}
