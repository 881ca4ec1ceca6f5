import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { assertTarget, listKnownTargets } from '../delivery/breakers.ts';
import { readStates, TargetStateSchema } from '../delivery/read-states.ts';
import type { Route } from '../delivery/routes.ts';
import { AttemptSchema } from '../events/list-events.ts';
import { described, listOf, text, textOrNull, time } from '../response-values.ts';
import { type Backlog, BacklogSchema, listBacklogs } from '../schedule/backlogs.ts';
import type { Snapshot } from '../schedule/snapshot.ts';

export const TargetViewSchema = v.strictObject({
  ...TargetStateSchema.entries,
  ...v.pick(BacklogSchema, ['waiting', 'due', 'heldBack', 'blockers', 'causes']).entries,
  isExact: described(v.boolean(), 'False if more events wait than `waiting` says.'),
  isDueExact: described(v.boolean(), 'False if there are more events than `due` and `heldBack` say.'),
});

type TargetView = Readonly<v.InferOutput<typeof TargetViewSchema>>;

const AnswerSchema = v.strictObject({
  eventId: text,
  ...v.pick(AttemptSchema, ['runId', 'outcome', 'startedAt', 'durationMs', 'responseStatus']).entries,
  answer: textOrNull,
});

const ChangeSchema = v.strictObject({
  at: time,
  change: v.picklist(['down', 'up', 'held', 'released']),
  actor: described(textOrNull, 'Who held or released it.'),
  reason: textOrNull,
});

export const TargetDetailSchema = v.strictObject({
  ...TargetViewSchema.entries,
  answers: listOf(AnswerSchema),
  changes: listOf(ChangeSchema),
});

type Latest = { readonly target: string; readonly max: number };
const listAnswers = statement<Latest, v.InferOutput<typeof AnswerSchema>>('list-answers');
const listChanges = statement<Latest, v.InferOutput<typeof ChangeSchema>>('list-changes');

type Deps = { readonly db: Database; readonly routes: readonly Route[] };

/** The targets of all routes, and those that are held without one. */
export async function listTargets({ db, routes }: Deps, snapshot: Snapshot): Promise<TargetView[]> {
  const names = listKnownTargets(routes, snapshot.breakers);
  return viewTargets(db, snapshot, { names, backlogs: await listBacklogs(db, snapshot) });
}

/** Throws NotFoundError. */
export async function showTarget(
  { db, routes }: Deps,
  snapshot: Snapshot,
  name: string,
): Promise<v.InferOutput<typeof TargetDetailSchema>> {
  assertTarget(listKnownTargets(routes, snapshot.breakers), name);
  const [backlogs, answers, changes] = await Promise.all([
    listBacklogs(db, snapshot),
    listAnswers(db, { target: name, max: 20 }),
    listChanges(db, { target: name, max: 20 }),
  ]);
  const [target] = await viewTargets(db, snapshot, { names: [name], backlogs });
  if (!target) throw new Error(`${name} is no longer a target.`);
  return { ...target, answers, changes };
}

type Views = { readonly names: readonly string[]; readonly backlogs: readonly Backlog[] };

async function viewTargets(db: Database, { breakers }: Snapshot, { names, backlogs }: Views) {
  return (await readStates(db, names, breakers)).map((state): TargetView => {
    const backlog = backlogs.find(({ target }) => target === state.target);
    const { waiting = 0, due = 0, heldBack = 0, blockers = [], causes = [] } = backlog ?? {};
    const { isWaitingExact: isExact = true, isExact: isDueExact = true } = backlog ?? {};
    return { ...state, waiting, due, heldBack, blockers, causes, isExact, isDueExact };
  });
}
