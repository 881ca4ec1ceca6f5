import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import {
  count,
  described,
  integerOrNull,
  listOf,
  text,
  textOrNull,
  time,
} from '../events/response-values.ts';
import { countDue } from '../schedule/count-due.ts';
import { countWaiting, type WaitingLane } from './count-waiting.ts';
import { readStates, TargetStateSchema } from './read-states.ts';
import { assertTarget, listTargetNames } from './target-names.ts';

/** A target with its state and what waits for it. */
export const TargetSchema = v.strictObject({
  ...TargetStateSchema.entries,
  waiting: described(count, 'Open events of its routes.'),
  isExact: described(v.boolean(), 'False if more events wait than `waiting` says.'),
});

export type TargetView = Readonly<v.InferOutput<typeof TargetSchema>>;

const AnswerSchema = v.strictObject({
  eventId: text,
  runId: textOrNull,
  outcome: text,
  startedAt: time,
  durationMs: count,
  responseStatus: integerOrNull,
  answer: textOrNull,
});

const ChangeSchema = v.strictObject({
  at: time,
  change: v.picklist(['down', 'up', 'held', 'released']),
  actor: described(textOrNull, 'Who held or released it.'),
  reason: textOrNull,
});

/** A target in full. */
export const TargetDetailSchema = v.strictObject({
  ...TargetSchema.entries,
  due: described(count, 'Events that are due now.'),
  isDueExact: described(v.boolean(), 'False if more events are due than `due` says.'),
  answers: listOf(AnswerSchema),
  changes: listOf(ChangeSchema),
});

const listAnswers = statement<{ target: string; max: number }, v.InferOutput<typeof AnswerSchema>>(
  'list-answers',
  import.meta.url,
);
const listChanges = statement<{ target: string; max: number }, v.InferOutput<typeof ChangeSchema>>(
  'list-changes',
  import.meta.url,
);
type Deps = { readonly db: Database; readonly routes: readonly Route[] };

/** Lists the targets of all routes, and the lanes with open events. */
export async function listTargets({ db, routes }: Deps) {
  const names = listTargetNames(routes);
  const [{ lanes, waiting }, states] = await Promise.all([countWaiting(db, routes), readStates(db, names)]);
  const targets = states.map((state): TargetView => {
    const { events, isExact } = waiting.get(state.target) ?? { events: 0, isExact: true };
    return { ...state, waiting: events, isExact };
  });
  return { targets, lanes, unrouted: waiting.get(undefined) };
}

/** A target with its latest answers and changes. Throws NotFoundError. */
export async function showTarget(
  deps: Deps,
  name: string,
): Promise<v.InferOutput<typeof TargetDetailSchema>> {
  assertTarget(deps.routes, name);
  const [{ targets, lanes }, answers, changes] = await Promise.all([
    listTargets(deps),
    listAnswers(deps.db, { target: name, max: 20 }),
    listChanges(deps.db, { target: name, max: 50 }),
  ]);
  const target = targets.find((each) => each.target === name);
  if (!target) throw new Error(`${name} is no longer a target.`);
  const own = lanesOf(lanes, name).map(({ lane }) => lane);
  const counts = await countDue(deps.db, own);
  const due = counts.reduce((sum, each) => sum + each.due, 0);
  return { ...target, due, isDueExact: counts.every(({ isExact }) => isExact), answers, changes };
}

/** The lanes whose route has a target. */
export function lanesOf(lanes: readonly WaitingLane[], target: string): readonly WaitingLane[] {
  return lanes.filter(({ route }) => route && nameTarget(route.target) === target);
}
