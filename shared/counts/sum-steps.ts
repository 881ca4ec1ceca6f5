import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/**
 * Counts of one step of a period: `step` is 0 at its start, and negative before it. `deliveries` is null for steps of less than
 * an hour.
 */
export type Step = { readonly step: number; readonly failures: number; readonly deliveries: number | null };

/** A period in equal steps; `before` is the start of the preceding period of the same length. */
export type Period = {
  readonly since: Date;
  readonly before: Date;
  readonly until: Date;
  readonly stepMinutes: number;
};

/** The failures and deliveries of a period and of the preceding one. Sparse: idle steps are omitted. */
export type Steps = {
  readonly steps: readonly Step[];
  /** False if more events failed than were read: the steps have the latest ones. */
  readonly isExact: boolean;
};

/** The error groups with most failures of a period, each with the failures of its steps. */
export type TopGroups = readonly { readonly fingerprint: string; readonly steps: readonly Step[] }[];

type Params = {
  readonly from: Date;
  readonly since: Date;
  readonly until: Date;
  readonly step: string;
  readonly isByHour: boolean;
  readonly max: number;
};

const sumAll = statement<Params & { groups: number }, Step & { readonly fingerprint: string | null }>(
  'sum-steps',
  import.meta.url,
);
const sumGroup = statement<
  Params & { fingerprint: string },
  Omit<Step, 'step'> & { readonly step: number | null }
>('sum-group-steps', import.meta.url);
const findFirstCounts = statement<Record<string, never>, { readonly first: Date | null }>(
  'find-first-counts',
  import.meta.url,
);

/** Events that are read for steps of less than an hour. */
const maxRead = 200_000;

/** Sums the steps of all events, and of up to `maxGroups` error groups. */
export async function sumSteps(
  db: Database,
  period: Period,
  maxGroups = 0,
): Promise<Steps & { readonly groups: TopGroups }> {
  const rows = await sumAll(db, { ...paramsOf(period), groups: maxGroups });
  const steps = rows.filter(({ fingerprint }) => fingerprint === null);
  const ofGroups = rows.flatMap(({ fingerprint, ...step }) =>
    fingerprint === null ? [] : [{ fingerprint, step }],
  );
  return {
    steps: steps.map(({ fingerprint: _, ...step }) => step),
    groups: [...Map.groupBy(ofGroups, ({ fingerprint }) => fingerprint)].map(([fingerprint, own]) => ({
      fingerprint,
      steps: own.map(({ step }) => step),
    })),
    isExact: isByHour(period) || sumUp(steps, 'failures') < maxRead,
  };
}

/** Sums the steps of one error group. */
export async function sumGroupSteps(db: Database, period: Period, fingerprint: string): Promise<Steps> {
  const rows = await sumGroup(db, { ...paramsOf(period), fingerprint });
  const read = rows.find(({ step }) => step === null);
  return {
    steps: rows.flatMap(({ step, ...counts }) => (step === null ? [] : [{ step, ...counts }])),
    isExact: (read?.failures ?? 0) < maxRead,
  };
}

/** The time from which on everything is counted; undefined before anything was. */
export async function readCountedSince(db: Database): Promise<Date | undefined> {
  const [found] = await findFirstCounts(db, {});
  return found?.first ?? undefined;
}

/** The failures or deliveries of some steps together. */
export function sumUp(steps: readonly Step[], of: 'failures' | 'deliveries'): number {
  return steps.reduce((total, step) => total + (step[of] ?? 0), 0);
}

/** Whether the steps of a period are whole hours, which have counts. */
export function isByHour({ stepMinutes }: Pick<Period, 'stepMinutes'>): boolean {
  return stepMinutes % 60 === 0;
}

function paramsOf(period: Period): Params {
  const { before: from, since, until, stepMinutes } = period;
  return { from, since, until, step: `${stepMinutes} minutes`, isByHour: isByHour(period), max: maxRead };
}
