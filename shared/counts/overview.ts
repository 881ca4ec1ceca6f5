import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { GroupState } from '../groups/error-groups.ts';

/** Counts of one step of a period: `step` is 0 at its start, and negative before it. */
export type Step = { readonly step: number; readonly failures: number; readonly deliveries: number };

/** A period in equal steps; `before` is the start of the preceding period of the same length. */
export type Period = {
  readonly since: Date;
  readonly before: Date;
  readonly until: Date;
  readonly stepMinutes: number;
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
  { since: Date; before: Date; until: Date; step: string; isByMinute: boolean; limit: number },
  TopGroup
>('list-top-groups', import.meta.url);

const findFirstCounts = statement<Record<string, never>, { readonly first: Date | null }>(
  'find-first-counts',
  import.meta.url,
);

type Steps = { readonly from: Date; readonly since: Date; readonly until: Date; readonly step: string };

/** Lists the steps of a period and of the preceding one. Steps without failures and deliveries are omitted. */
const sumHourlyTotals = statement<Steps, Step>('sum-hourly-totals', import.meta.url);

const sumGroupHours = statement<Steps & { fingerprint: string }, Step>('sum-group-hours', import.meta.url);

/** The same of all events or of one error group, within the last day, in steps of whole minutes. */
const sumMinutes = statement<Steps & { fingerprint: string | null }, Step>('sum-minutes', import.meta.url);

/**
 * The failures and deliveries of a period and of the preceding one, of all events or of one error group. Sparse: idle steps are
 * omitted. Steps of less than an hour are known for the last day.
 */
export function sumSteps(db: Database, period: Period, fingerprint?: string): Promise<Step[]> {
  const { before: from, since, until } = period;
  const steps = { from, since, until, step: intervalOf(period) };
  if (isByMinute(period)) return sumMinutes(db, { ...steps, fingerprint: fingerprint ?? null });
  return fingerprint === undefined
    ? sumHourlyTotals(db, steps)
    : sumGroupHours(db, { ...steps, fingerprint });
}

function intervalOf({ stepMinutes }: Period): string {
  return `${stepMinutes} minutes`;
}

function isByMinute({ stepMinutes }: Period): boolean {
  return stepMinutes % 60 !== 0;
}

/** The first time that has counts, to the minute or to the hour; undefined before anything was counted. */
export async function readCountedSince(db: Database): Promise<Date | undefined> {
  const [found] = await findFirstCounts(db, {});
  return found?.first ?? undefined;
}

export type Overview = Readonly<Awaited<ReturnType<typeof readOverview>>>;

const maxGroups = 10;

/** Reads all numbers of the overview page. */
export async function readOverview(db: Database, period: Period) {
  const { since, before, until } = period;
  const step = intervalOf(period);
  const [[depths], [oldest], countedSince, steps, groups] = await Promise.all([
    sumDepths(db, {}),
    findOldestOpenEvent(db, {}),
    readCountedSince(db),
    sumSteps(db, period),
    listTopGroups(db, { since, before, until, step, isByMinute: isByMinute(period), limit: maxGroups }),
  ]);
  return {
    depths,
    oldest,
    steps: steps.filter(({ step }) => step >= 0),
    stepsBefore: steps.filter(({ step }) => step < 0),
    groups,
    /** Whether the preceding period was counted from its start on. */
    isComparable: (countedSince ?? until) <= before,
  };
}
