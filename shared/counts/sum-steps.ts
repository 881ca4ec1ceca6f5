import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { isByHour, type Period } from './periods.ts';

/** Counts of one step of a period: `step` is 0 at its start. */
export type Step = {
  readonly step: number;
  /** Captures and recurrences; in steps of less than an hour events, each by its last failure. */
  readonly failures: number;
  /** Null in steps of less than an hour: deliveries are counted by hour. */
  readonly deliveries: number | null;
};

/** The steps of a period, without idle ones. */
export type Steps = {
  readonly steps: readonly Step[];
  /** False if more events failed in the period than were read: the steps have the latest ones. */
  readonly isExact: boolean;
};

/** An error group with most failures of a period, with the failures of its steps. */
type TopGroup = { readonly fingerprint: string; readonly steps: readonly Step[] };

type Params = { readonly since: Date; readonly until: Date; readonly step: string };

const sum = statement<Params & { fingerprint: string | null; isByHour: boolean; max: number }, Step>(
  'sum-steps',
);
const listTop = statement<Params & { groups: number }, TopGroup>('list-top-groups');
const findFirstCounts = statement<Record<string, never>, { readonly first: Date | null }>(
  'find-first-counts',
);

/** Events that are read for steps of less than an hour: each takes about a microsecond. */
const maxRead = 50_000;

type Of = { readonly fingerprint?: string; readonly max?: number | undefined };

/**
 * Sums the steps of all events, in steps of less than an hour of the latest `max` ones, or those of one error
 * group, which are whole hours.
 */
export async function sumSteps(db: Database, period: Period, of: Of = {}): Promise<Steps> {
  const { fingerprint = null, max = maxRead } = of;
  const steps = await sum(db, { ...paramsOf(period), fingerprint, isByHour: isByHour(period), max });
  return { steps, isExact: isByHour(period) || sumUp(steps, 'failures') < max };
}

/** Lists the error groups with most failures, but muted ones. The steps of the period are whole hours. */
export function listTopGroups(db: Database, period: Period, groups: number): Promise<TopGroup[]> {
  return listTop(db, { ...paramsOf(period), groups });
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

function paramsOf({ since, until, stepMinutes }: Period): Params {
  return { since, until, step: `${stepMinutes} minutes` };
}
