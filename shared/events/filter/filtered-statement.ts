import type { Database } from '../../database/database.ts';
import {
  bind,
  type Fragments,
  insert,
  queryRows,
  readStatement,
  statement,
} from '../../database/statement.ts';
import { toCondition } from './filter-condition.ts';
import type { Filter } from './filter-schema.ts';

/** A statement about the events that a filter matches. `explain` returns the planner's estimate for it. */
export type FilteredStatement<Params, Row> = {
  (db: Database, filter: Filter, params: Params): Promise<Row[]>;
  explain(db: Database, filter: Filter, params: Params): Promise<Estimate>;
};

/** The planner's estimate: matching events, and a cost in units of one page of 8 kB read in order. */
export type Estimate = { readonly events: number; readonly cost: number };

type Plan = {
  readonly 'Relation Name'?: string;
  readonly 'Plan Rows': number;
  readonly 'Total Cost': number;
  readonly Plans?: readonly Plan[];
};
type ExplainRow = { readonly 'QUERY PLAN': readonly [{ readonly Plan: Plan }] };

/**
 * Makes a typed function of one statement, `<name>.sql`. The condition of a filter on `dlq_events as event`
 * replaces `{filter}`, and fragments of `fragmentsFor` any other `{name}`. An error group in the filter stands
 * for those merged into it, too. The statement is not prepared: its text varies with the filter.
 */
export function filteredStatement<Params extends Record<string, unknown>, Row>(
  name: string,
  fragmentsFor: (filter: Filter, params: Params) => Fragments = () => ({}),
): FilteredStatement<Params, Row> {
  const compose = async (db: Database, filter: Filter, params: Params) => {
    const parsed = readStatement(name, fragmentsFor(filter, params));
    const condition = toCondition(await includeMerged(db, filter), {
      now: new Date(),
      first: parsed.parameters.length + 1,
    });
    return {
      text: insert(parsed.text, { filter: condition.text }),
      values: [...bind(name, parsed, params), ...condition.values],
    };
  };
  const run = async (db: Database, filter: Filter, params: Params) =>
    queryRows<Row>(db, await compose(db, filter, params));
  const explain = async (db: Database, filter: Filter, params: Params) => {
    const { text, values } = await compose(db, filter, params);
    const [row] = await queryRows<ExplainRow>(db, { text: `explain (format json) ${text}`, values });
    const plan = row?.['QUERY PLAN'][0].Plan;
    return { events: plan ? countEvents(plan) : 0, cost: plan?.['Total Cost'] ?? 0 };
  };
  return Object.assign(run, { explain });
}

/** The events that the scan expects to find, however many the nodes above it drop. */
function countEvents(plan: Plan): number {
  const found = plan['Relation Name'] === 'dlq_events' ? plan['Plan Rows'] : 0;
  return Math.max(found, ...(plan.Plans ?? []).map(countEvents));
}

const listMembers = statement<{ fingerprints: readonly string[] }, { readonly fingerprint: string }>(
  'list-members',
);

/**
 * The filter with the fingerprints of the groups that are merged into those that it names: their events keep
 * their own. As values and not as a part of the condition, because the planner estimates by them, and reads
 * one fingerprint in the order of its index.
 */
export async function includeMerged(db: Database, filter: Filter): Promise<Filter> {
  const { fingerprint: fingerprints } = filter;
  if (fingerprints === undefined) return filter;
  const merged = (await listMembers(db, { fingerprints })).map(({ fingerprint }) => fingerprint);
  return { ...filter, fingerprint: [...new Set([...fingerprints, ...merged])] };
}
