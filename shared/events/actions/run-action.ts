import * as v from 'valibot';
import type { Database } from '../../database/database.ts';
import type { Fragments } from '../../database/statement.ts';
import type { Status } from '../../message/event.ts';
import { count, described, text } from '../../response-values.ts';
import { maxBigint } from '../event-id.ts';
import type { Filter } from '../filter/filter-schema.ts';
import { filteredStatement } from '../filter/filtered-statement.ts';
import { rejectCostly, runWithinCost } from '../filter/run-within-cost.ts';
import { type Caller, guardProbes } from '../masking/guard-probes.ts';
import type { MaskRules } from '../masking/mask-rules.ts';
import { changeInBatches, type EventPage, recordAction } from './record-action.ts';

/** Columns of `dlq_events` that the audit keeps as they were: an undo returns them. */
const kept = ['status', 'priority', 'retry_count', 'retry_after', 'processed_at', 'reopened_at'] as const;
/** Columns that it does not return: they may only be emptied. */
const emptied = ['cause', 'lease_token', 'lease_expires_at'] as const;
const columns = [...kept, ...emptied];

/** Values of columns, as text or JSON; `now` is the time of the change. */
export type StateChange = { readonly [Column in (typeof kept)[number]]?: string | number | null } & {
  readonly [Column in (typeof emptied)[number]]?: null;
} & { readonly status?: Status };

/**
 * The SQL of a change, whose values are parameters with the names of their columns: its assignments, and a
 * condition that excludes events on which it would change nothing.
 */
function toFragments(_: Filter, change: StateChange): Fragments {
  const changed = columns.filter((column) => change[column] !== undefined);
  const isOther = changed.map((column) => `event.${column} is distinct from :${column}`).join(' or ');
  // Any other event of a status that the action can change gets another one.
  const ofStatus = change.status === 'PENDING' ? isInPlace : 'true';
  return {
    assignments: changed.map((column) => `${column} = :${column}`).join(', '),
    isOther: change.status === undefined ? `(${isOther})` : ofStatus,
    kept: kept.join(', '),
  };
}

/** An original that an edit replaced is closed for good, unless the edit is undone. They are read once. */
export const isInPlace =
  "(event.status <> 'DISCARDED' or event.id not in (select event_id from dlq_audit_events " +
  'where edit_id is not null and undone_by is null))';

/** A change to all events that a filter matches. */
export type Action = {
  readonly name: string;
  readonly actor: string;
  readonly reason: string;
  readonly filter: Filter;
  readonly sets: StateChange;
  /** The request, for the audit, and what the action sets, for an undo. */
  readonly details: object;
};

/** The result of an action or an undo, or of its preview. */
export const ActionResultSchema = v.strictObject({
  dryRun: v.boolean(),
  auditId: v.exactOptional(described(text, 'The entry of the audit; none without an effect.')),
  changed: described(count, 'Events that were changed, or that an undo returned to their state before.'),
  remaining: described(
    count,
    'Events not changed yet: in a dry run, because time ran out, or because another transaction held them. The same request again changes them.',
  ),
  kept: described(
    v.record(v.string(), count),
    'Events that stay as they are, by reason: leased; by an undo also sent, changed, undone, gone.',
  ),
});

export type ActionResult = Readonly<v.InferOutput<typeof ActionResultSchema>>;
export type ActionOutcome = Omit<ActionResult, 'dryRun' | 'auditId'>;

/** An action, to run or only to preview. */
export type RequestedAction = { readonly action: Action; readonly dryRun: boolean };

export type ActionDeps = { readonly db: Database; readonly costLimit: number; readonly budgetMs?: number };

type Scope = StateChange & { readonly upTo: string };

/** The number of events that an action would change and keep. */
const estimateEvents = filteredStatement<Scope, Omit<ActionOutcome, 'changed'>>(
  'estimate-events',
  toFragments,
);
const nothing = { remaining: 0, kept: {} };

/** The next `max` ids that an action changes, in ascending order. */
const selectEvents = filteredStatement<Scope & EventPage, { readonly id: string }>(
  'select-events',
  toFragments,
);

/** Changes these events and records them in the audit. */
const changeEvents = filteredStatement<
  StateChange & { ids: readonly string[]; auditId: string },
  { readonly changed: number }
>('change-events', toFragments);

/** Runs an action in batches. Throws ActionCutShortError after a change. */
export async function runAction(
  { db, budgetMs }: ActionDeps,
  { filter, sets, actor, reason, name, details }: Action,
): Promise<ActionOutcome & { auditId: string }> {
  const opening = { actor, action: name, reason, details };
  return recordAction(db, opening, async ({ id: auditId, lastEventId: upTo }, done) => {
    const batches = {
      list: (page: EventPage) => selectEvents(db, filter, { ...sets, upTo, ...page }),
      change: (ids: readonly string[]) => changeEvents(db, filter, { ...sets, ids, auditId }),
    };
    await changeInBatches(done, batches, budgetMs);
    const [left = nothing] = await estimateEvents(db, filter, { ...sets, upTo });
    return { changed: done.changed, ...left };
  });
}

/**
 * Runs an action for its actor, who may compare masked values, or previews it; one that would change nothing
 * is not recorded. Throws ForbiddenError, TooCostlyError before a change, and ActionCutShortError after one.
 */
export async function requestAction(
  deps: ActionDeps & MaskRules,
  caller: Caller,
  { action, dryRun }: RequestedAction,
): Promise<ActionResult> {
  await guardProbes(deps, caller, action);
  const { db, costLimit } = deps;
  const { filter, sets } = action;
  const query = { filter, params: { ...sets, upTo: maxBigint }, costLimit };
  if (!dryRun) {
    await rejectCostly(db, estimateEvents, query);
    const some = await selectEvents(db, filter, { ...query.params, after: '0', max: 1 });
    if (some.length > 0) return { dryRun, ...(await runAction(deps, action)) };
  }
  const [left = nothing] = await runWithinCost(db, estimateEvents, query);
  return { dryRun, changed: 0, ...left };
}
