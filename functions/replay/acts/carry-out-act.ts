import { chooseEvents, closeAct, openAct, surveyEvents } from '../../../shared/acts.ts';
import type { Database } from '../../../shared/database.ts';
import { DatabaseUnavailableError } from '../../../shared/errors.ts';
import type { Filter } from '../../../shared/filter/filter-schema.ts';
import { isTimeout, refuseCostly, runWithinCost } from '../../../shared/filter/run-within-cost.ts';
import { largestId } from '../../../shared/largest-id.ts';
import { log } from '../../../shared/log.ts';
import { ActCutShortError } from './act-cut-short-error.ts';

/** Something that a person wants done to all events that a filter matches. */
export type Act = {
  readonly name: string;
  readonly actor: string;
  readonly reason: string;
  readonly filter: Filter;
  /** Events that have this priority are left out; null: none is. */
  readonly priority: number | null;
  /** What the audit keeps: what was asked for. */
  readonly details: object;
  /** Changes these events and notes them in the audit, in one statement, and counts them. */
  readonly change: (
    ids: readonly string[],
    auditId: string,
  ) => Promise<readonly { readonly changed: number }[]>;
};

/** What an act came to, or would come to: exact numbers of events. */
export type ActOutcome = {
  readonly changed: number;
  /** They are being delivered right now, and are left alone. */
  readonly leased: number;
  /** Still to be changed, for want of time or because somebody held them: the same act again takes them up. */
  readonly remaining: number;
};

export type ActDeps = { readonly db: Database; readonly costLimit: number; readonly budgetMs?: number };

const batchSize = 2000;
const chosenAtOnce = 20_000;
// A function has a minute where nothing else is said.
const defaultBudgetMs = 45_000;

/** What an act would come to. Throws TooCostlyError. */
export async function previewAct({ db, costLimit }: ActDeps, { filter, priority }: Act): Promise<ActOutcome> {
  const params = { upTo: largestId, priority };
  return { changed: 0, ...sum(await runWithinCost(db, surveyEvents, { filter, params, costLimit })) };
}

/**
 * Does it, batch by batch: each is a statement and a transaction of its own, so that no event is locked for longer than
 * that takes, and none is changed that the audit does not name. Throws TooCostlyError before it has begun, and
 * ActCutShortError afterwards.
 */
export async function carryOutAct(deps: ActDeps, act: Act): Promise<ActOutcome & { auditId: string }> {
  const { db, costLimit } = deps;
  const { filter, priority, actor, reason, name } = act;
  await refuseCostly(db, surveyEvents, { filter, params: { upTo: largestId, priority }, costLimit });
  const [opened] = await openAct(db, { actor, act: name, reason, details: JSON.stringify(act.details) });
  if (!opened) throw new Error('An act was not opened.');
  const { id: auditId, last_event_id: upTo } = opened;
  const progress = { changed: 0 };
  try {
    await changeAll(deps, act, { auditId, upTo, progress });
    const outcome = { ...progress, ...sum(await surveyEvents(db, filter, { upTo, priority })) };
    await closeAct(db, { actor, act: name, auditId, details: JSON.stringify(outcome) });
    log('INFO', `${name}: events changed: ${outcome.changed}`, { act: name, auditId, ...outcome });
    return { auditId, ...outcome };
  } catch (error) {
    const isCutShort = error instanceof DatabaseUnavailableError || isTimeout(error);
    throw isCutShort ? new ActCutShortError(auditId, progress.changed, error) : error;
  }
}

type Begun = { readonly auditId: string; readonly upTo: string; readonly progress: { changed: number } };

async function changeAll(deps: ActDeps, act: Act, { auditId, upTo, progress }: Begun): Promise<void> {
  const until = Date.now() + (deps.budgetMs ?? defaultBudgetMs);
  for await (const ids of chooseBatches(deps.db, act, upTo)) {
    const [done] = await act.change(ids, auditId);
    progress.changed += done?.changed ?? 0;
    if (Date.now() >= until) return;
  }
}

async function* chooseBatches(
  db: Database,
  { filter, priority }: Act,
  upTo: string,
): AsyncGenerator<string[]> {
  let after: string | undefined = '0';
  while (after !== undefined) {
    const chosen: { readonly id: string }[] = await chooseEvents(db, filter, {
      upTo,
      priority,
      after,
      most: chosenAtOnce,
    });
    const ids = chosen.map(({ id }) => id);
    for (let i = 0; i < ids.length; i += batchSize) yield ids.slice(i, i + batchSize);
    after = ids.length < chosenAtOnce ? undefined : ids.at(-1);
  }
}

function sum(counts: readonly { readonly events: number; readonly is_leased: boolean }[]) {
  const total = (isLeased: boolean) =>
    counts.filter((each) => each.is_leased === isLeased).reduce((events, each) => events + each.events, 0);
  return { leased: total(true), remaining: total(false) };
}
