import type { Database } from '../../database/database.ts';
import { errorCodeOf } from '../../database/unavailable.ts';
import { TooCostlyError } from '../../errors.ts';
import type { Filter } from './filter-schema.ts';
import type { Estimate, FilteredStatement } from './filtered-statement.ts';

/** A query and the limit of its estimated cost. */
export type CostedQuery<Params> = {
  readonly filter: Filter;
  readonly params: Params;
  /** In the planner's unit, beyond the allowance for each matching event; 0: no limit. */
  readonly costLimit: number;
};

/** The allowance for each matching event: twice the cost of fetching one by an index. */
const costPerEvent = 10;

/**
 * Runs a statement if its estimated cost is within the limit. Throws TooCostlyError with advice how to narrow
 * the filter.
 */
export async function runWithinCost<Params, Row>(
  db: Database,
  statement: FilteredStatement<Params, Row>,
  query: CostedQuery<Params>,
): Promise<Row[]> {
  await rejectCostly(db, statement, query);
  const { filter, params } = query;
  try {
    return await statement(db, filter, params);
  } catch (error) {
    // query_canceled: this service cancels queries by statement_timeout only.
    if (errorCodeOf(error) !== '57014') throw error;
    throw new TooCostlyError(`The query exceeded the statement timeout. ${advice}`);
  }
}

/**
 * Throws TooCostlyError if the planner estimates that a statement costs more than the limit. The limit grows
 * with the matching events, so that an action on a million events is not rejected.
 */
export async function rejectCostly<Params, Row>(
  db: Database,
  statement: FilteredStatement<Params, Row>,
  { filter, params, costLimit }: CostedQuery<Params>,
): Promise<void> {
  // The planner cannot know how few events have the hash of an id.
  if (costLimit === 0 || filter.mention) return;
  const { cost, events } = await statement.explain(db, filter, params);
  if (cost <= costLimit + costPerEvent * events) return;
  const estimate = `would cost about ${Math.round(cost)} to find about ${events} events`;
  throw new TooCostlyError(`The query ${estimate}, and FILTER_COST_LIMIT is ${costLimit}. ${advice}`);
}

/** The cost of some 10,000 events at random places, or of 400 MB in order. */
const smallCost = 50_000;

/** Whether a statement that reads all events that match costs little. */
export function isCheap({ cost }: Estimate, costLimit: number): boolean {
  return cost <= Math.min(costLimit || smallCost, smallCost);
}

/** The conditions with an index. */
const advice =
  'Narrow the filter with a later failedAfter, such as "24h", or a status, such as "FAILED_PERMANENTLY" or "PENDING", alone or beside an eventType, or a fingerprint, or a key.';
