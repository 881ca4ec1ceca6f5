import type { Database } from './database.ts';
import { toCondition } from './filter/filter-condition.ts';
import type { Filter } from './filter/filter-schema.ts';
import { readSql } from './read-sql.ts';
import { parseStatement } from './sql.ts';

/** A statement about the events that a filter matches. `explain` asks the planner what running it would cost. */
export type FilteredStatement<Params, Row> = {
  (db: Database, filter: Filter, params: Params): Promise<Row[]>;
  explain(db: Database, filter: Filter, params: Params): Promise<Estimate>;
};

/** What the planner expects: how many events match, and a cost in its own unit, about a page of 8 kB read in order. */
export type Estimate = { readonly events: number; readonly cost: number };

type Plan = {
  readonly 'Relation Name'?: string;
  readonly 'Plan Rows': number;
  readonly 'Total Cost': number;
  readonly Plans?: readonly Plan[];
};
type Explained = { readonly 'QUERY PLAN': readonly [{ readonly Plan: Plan }] };

/**
 * Makes a typed function of one statement, `sql/<name>.sql`, in which `:filter` stands for what a filter asks of
 * `dlq_events as event`. Its text is another one with each filter, so that it is not prepared.
 */
/* @__NO_SIDE_EFFECTS__ */
export function filteredStatement<Params extends Record<string, unknown>, Row>(
  name: string,
  sql = readSql(name),
): FilteredStatement<Params, Row> {
  const { text, parameters } = parseStatement(sql.replaceAll(':filter', '{filter}'));
  const compose = (filter: Filter, params: Params) => {
    const condition = toCondition(filter, { now: new Date(), first: parameters.length + 1 });
    return {
      text: text.replaceAll('{filter}', () => condition.text),
      values: [...parameters.map((parameter) => params[parameter]), ...condition.values],
    };
  };
  const run = async (db: Database, filter: Filter, params: Params) =>
    (await db.query<Row>(compose(filter, params))).rows;
  const explain = async (db: Database, filter: Filter, params: Params) => {
    const { text, values } = compose(filter, params);
    const { rows } = await db.query<Explained>({ text: `explain (format json) ${text}`, values });
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    return { events: plan ? countEvents(plan) : 0, cost: plan?.['Total Cost'] ?? 0 };
  };
  return Object.assign(run, { explain });
}

/** As the step expects that finds them, whatever becomes of them further up. */
function countEvents(plan: Plan): number {
  const found = plan['Relation Name'] === 'dlq_events' ? plan['Plan Rows'] : 0;
  return Math.max(found, ...(plan.Plans ?? []).map(countEvents));
}
