import * as v from 'valibot';
import type { Database } from '../../database/database.ts';
import { DatabaseUnavailableError } from '../../errors.ts';
import { log } from '../../log.ts';
import { maxBigint } from '../event-id.ts';
import type { Filter } from '../filter/filter-schema.ts';
import { isTimeout, rejectCostly, runWithinCost } from '../filter/run-within-cost.ts';
import { count, described, text } from '../response-values.ts';
import { ActionCutShortError } from './action-cut-short-error.ts';
import { closeAction, estimateEvents, openAction, selectEvents } from './actions.ts';

/** A change to all events that a filter matches. */
export type Action = {
  readonly name: string;
  readonly actor: string;
  readonly reason: string;
  readonly filter: Filter;
  /** Excludes events that have this priority already; null excludes none. */
  readonly priority: number | null;
  /** The request, for the audit. */
  readonly details: object;
  /** Changes these events and records them in the audit, in one statement; returns their number. */
  readonly change: (
    ids: readonly string[],
    auditId: string,
  ) => Promise<readonly { readonly changed: number }[]>;
};

/** The result of an action, or of its preview. */
export const ActionResultSchema = v.strictObject({
  dryRun: v.boolean(),
  auditId: v.exactOptional(described(text, 'The entry of the audit; a dry run has none.')),
  changed: described(count, 'Events that were changed.'),
  leased: described(count, 'Events that are being delivered right now and were not changed.'),
  remaining: described(
    count,
    'Events not changed yet, because time ran out or another transaction held them: the same request again changes them.',
  ),
});

export type ActionResult = Readonly<v.InferOutput<typeof ActionResultSchema>>;

/** The exact numbers of events in a result. */
export type ActionOutcome = Pick<ActionResult, 'changed' | 'leased' | 'remaining'>;

export type ActionDeps = { readonly db: Database; readonly costLimit: number; readonly budgetMs?: number };

const batchSize = 2000;
const selectionSize = 20_000;
// Cloud Run functions have 60 s by default.
const defaultBudgetMs = 45_000;

/** The number of events that an action would change. Throws TooCostlyError. */
export async function previewAction(
  { db, costLimit }: ActionDeps,
  { filter, priority }: Action,
): Promise<ActionOutcome> {
  const params = { upTo: maxBigint, priority };
  return { changed: 0, ...sum(await runWithinCost(db, estimateEvents, { filter, params, costLimit })) };
}

/**
 * Runs an action in batches. A batch is one statement and one transaction, so that events are locked for milliseconds and
 * the audit names every changed event. Throws TooCostlyError before the first change, and
 * ActionCutShortError after it.
 */
export async function runAction(
  deps: ActionDeps,
  action: Action,
): Promise<ActionOutcome & { auditId: string }> {
  const { db, costLimit } = deps;
  const { filter, priority, actor, reason, name } = action;
  await rejectCostly(db, estimateEvents, { filter, params: { upTo: maxBigint, priority }, costLimit });
  const [opened] = await openAction(db, {
    actor,
    action: name,
    reason,
    details: JSON.stringify(action.details),
  });
  if (!opened) throw new Error('The audit entry of an action was not returned.');
  const { id: auditId, lastEventId: upTo } = opened;
  const progress = { changed: 0 };
  try {
    await changeAll(deps, action, { auditId, upTo, progress });
    const outcome = { ...progress, ...sum(await estimateEvents(db, filter, { upTo, priority })) };
    await closeAction(db, { actor, action: name, auditId, details: JSON.stringify(outcome) });
    log('INFO', `${name}: events changed: ${outcome.changed}`, { action: name, auditId, ...outcome });
    return { auditId, ...outcome };
  } catch (error) {
    const isCutShort = error instanceof DatabaseUnavailableError || isTimeout(error);
    throw isCutShort ? new ActionCutShortError(auditId, progress.changed, error) : error;
  }
}

/** An action that the audit has opened, and the number of events changed so far. */
type OpenAction = { readonly auditId: string; readonly upTo: string; readonly progress: { changed: number } };

async function changeAll(
  deps: ActionDeps,
  action: Action,
  { auditId, upTo, progress }: OpenAction,
): Promise<void> {
  const until = Date.now() + (deps.budgetMs ?? defaultBudgetMs);
  for await (const ids of selectBatches(deps.db, action, upTo)) {
    const [done] = await action.change(ids, auditId);
    progress.changed += done?.changed ?? 0;
    if (Date.now() >= until) return;
  }
}

async function* selectBatches(
  db: Database,
  { filter, priority }: Action,
  upTo: string,
): AsyncGenerator<string[]> {
  let after: string | undefined = '0';
  while (after !== undefined) {
    const selected: { readonly id: string }[] = await selectEvents(db, filter, {
      upTo,
      priority,
      after,
      max: selectionSize,
    });
    const ids = selected.map(({ id }) => id);
    for (let i = 0; i < ids.length; i += batchSize) yield ids.slice(i, i + batchSize);
    after = ids.length < selectionSize ? undefined : ids.at(-1);
  }
}

function sum(counts: readonly { readonly events: number; readonly isLeased: boolean }[]) {
  const total = (isLeased: boolean) =>
    counts.filter((each) => each.isLeased === isLeased).reduce((events, each) => events + each.events, 0);
  return { leased: total(true), remaining: total(false) };
}

/** Runs an action, or previews it. Throws what runAction throws. */
export async function runOrPreview(
  deps: ActionDeps,
  { action, dryRun }: { readonly action: Action; readonly dryRun: boolean },
): Promise<ActionResult> {
  return { dryRun, ...(dryRun ? await previewAction(deps, action) : await runAction(deps, action)) };
}
