import type { Database } from '../database.ts';
import { TooCostlyError } from '../errors.ts';
import type { FilteredStatement } from '../filtered-statement.ts';
import type { Filter } from './filter-schema.ts';

export type Asked<Params> = {
  readonly filter: Filter;
  readonly params: Params;
  /** The most that the planner may expect it to cost beyond what the events that match are worth; 0: no limit. */
  readonly costLimit: number;
};

/** What may be spent on an event that matches: twice of what it costs to fetch one by an index. */
const costOfAnEvent = 10;

/** Runs a statement unless it would cost too much. Throws TooCostlyError, which advises what to ask instead. */
export async function runWithinCost<Params, Row>(
  db: Database,
  statement: FilteredStatement<Params, Row>,
  asked: Asked<Params>,
): Promise<Row[]> {
  await refuseCostly(db, statement, asked);
  const { filter, params } = asked;
  try {
    return await statement(db, filter, params);
  } catch (error) {
    if (!isTimeout(error)) throw error;
    throw new TooCostlyError(`This question took the database too long. ${advise(filter)}`);
  }
}

/**
 * Asks the planner what a statement would cost, and throws TooCostlyError where that is above the limit. To read many
 * events because many are meant is no waste: an act on a million may cost what it costs.
 */
export async function refuseCostly<Params, Row>(
  db: Database,
  statement: FilteredStatement<Params, Row>,
  { filter, params, costLimit }: Asked<Params>,
): Promise<void> {
  if (costLimit === 0) return;
  const { cost, events } = await statement.explain(db, filter, params);
  if (cost <= costLimit + costOfAnEvent * events) return;
  const figures = `would cost about ${Math.round(cost)} to find about ${events} events`;
  throw new TooCostlyError(
    `This question ${figures}, and FILTER_COST_LIMIT is ${costLimit}. ${advise(filter)}`,
  );
}

/** The conditions that an index answers, as far as the filter has none of their kind. */
function advise(filter: Filter): string {
  const isMissing = (name: keyof Filter) => filter[name] === undefined;
  const hints = [
    isMissing('failedAfter') ? 'failedAfter, such as "24h"' : 'a later failedAfter',
    ...(isMissing('status') ? ['a status, such as "FAILED_PERMANENTLY" or "PENDING"'] : []),
    ...(isMissing('eventType') ? ['an eventType beside that status'] : []),
    ...(isMissing('fingerprint') ? ['a fingerprint'] : []),
    ...(isMissing('key') ? ['a key'] : []),
  ];
  return `Narrow it down, with ${hints.join(', or ')}.`;
}

/** "query_canceled": by statement_timeout, as nobody else does it. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '57014';
}
