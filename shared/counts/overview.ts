import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { GroupState } from '../groups/error-groups.ts';

/** Counts of one step of a period: `step` is 0 at its start, and negative before it. */
export type Step = { readonly step: number; readonly failures: number; readonly deliveries: number };

/** A period in steps of `hours`; `before` is the start of the preceding period of the same length. */
export type Period = {
  readonly since: Date;
  readonly before: Date;
  readonly until: Date;
  readonly hours: number;
};

/** Events by status. */
export type Depths = {
  readonly pending: number;
  readonly processing: number;
  readonly succeeded: number;
  readonly failedPermanently: number;
  readonly discarded: number;
};

export type TopGroup = {
  readonly fingerprint: string;
  readonly failures: number;
  readonly failuresBefore: number;
  readonly eventTypes: readonly string[];
  readonly state: GroupState | null;
  readonly title: string | null;
  readonly causes: readonly string[] | null;
  readonly frame: string | null;
  readonly firstSeenAt: Date | null;
  readonly lastSeenAt: Date | null;
  readonly open: number | null;
  readonly failedPermanently: number | null;
  readonly trend: readonly (readonly [step: number, failures: number])[] | null;
};

export type Oldest = { readonly id: string; readonly eventType: string; readonly createdAt: Date };

const sumDepths = statement<Record<string, never>, Depths>('sum-depths', import.meta.url);
const findOldestOpenEvent = statement<Record<string, never>, Oldest>(
  'find-oldest-open-event',
  import.meta.url,
);
const listTopGroups = statement<
  { since: Date; before: Date; until: Date; hours: number; limit: number },
  TopGroup
>('list-top-groups', import.meta.url);

/** The first hour that has counts; no row before anything was counted. */
const findFirstHour = statement<Record<string, never>, { readonly hour: Date | null }>(
  'find-first-hour',
  import.meta.url,
);

/** Lists the steps of a period and of the preceding one. Steps without failures and deliveries are omitted. */
const sumHourlyTotals = statement<{ from: Date; since: Date; until: Date; hours: number }, Step>(
  'sum-hourly-totals',
  import.meta.url,
);

/** The failures and deliveries of one error group in a period, in steps of `hours`. Sparse: idle steps are omitted. */
export const sumGroupHours = statement<
  { fingerprint: string; since: Date; until: Date; hours: number },
  Step
>('sum-group-hours', import.meta.url);

export type Overview = Readonly<Awaited<ReturnType<typeof readOverview>>>;

const maxGroups = 10;

/** Reads all numbers of the overview page. */
export async function readOverview(db: Database, { since, before, until, hours }: Period) {
  const [[depths], [oldest], [first], steps, groups] = await Promise.all([
    sumDepths(db, {}),
    findOldestOpenEvent(db, {}),
    findFirstHour(db, {}),
    sumHourlyTotals(db, { from: before, since, until, hours }),
    listTopGroups(db, { since, before, until, hours, limit: maxGroups }),
  ]);
  return {
    depths,
    oldest,
    steps: steps.filter(({ step }) => step >= 0),
    stepsBefore: steps.filter(({ step }) => step < 0),
    groups,
    /** Whether the preceding period was counted from its start on. */
    isComparable: (first?.hour ?? until) <= before,
  };
}
