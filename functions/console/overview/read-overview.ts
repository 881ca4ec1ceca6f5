import type { Database } from '../../../shared/database.ts';
import { statement } from '../../../shared/sql.ts';
import type { Step } from '../parts/chart.ts';
import type { Range } from '../parts/range.ts';

/** How many events stand where. */
export type Depths = {
  readonly pending: number;
  readonly processing: number;
  readonly succeeded: number;
  readonly failed_permanently: number;
  readonly discarded: number;
};

export type TopGroup = {
  readonly fingerprint: string;
  readonly failures: number;
  readonly failures_before: number;
  readonly event_types: readonly string[];
  readonly state: 'OPEN' | 'ACKNOWLEDGED' | 'MUTED' | 'RESOLVED' | 'RETURNED' | null;
  readonly title: string | null;
  readonly owner: string | null;
  readonly first_seen_at: Date | null;
  readonly last_seen_at: Date | null;
  readonly open: number | null;
  readonly failed_permanently: number | null;
  readonly trend: readonly (readonly [step: number, failures: number])[] | null;
};

export type Oldest = { readonly id: string; readonly event_type: string; readonly created_at: Date };

const sumDepths = statement<Record<string, never>, Depths>('sum-depths');
const findOldestOpenEvent = statement<Record<string, never>, Oldest>('find-oldest-open-event');
const listTopGroups = statement<
  { since: Date; before: Date; until: Date; hours: number; limit: number },
  TopGroup
>('list-top-groups');

/** What happened in each step of a time, those before `since` negative; some in which nothing did are left out. */
const sumHours = statement<{ from: Date; since: Date; until: Date; hours: number }, Step>('sum-hours');

export type Overview = {
  readonly depths: Depths | undefined;
  readonly oldest: Oldest | undefined;
  readonly steps: readonly Step[];
  readonly stepsBefore: readonly Step[];
  readonly groups: readonly TopGroup[];
};

const mostGroups = 10;

/** Everything that the overview tells of events. */
export async function readOverview(db: Database, range: Range): Promise<Overview> {
  const { since, before, until, hours } = range;
  const [[depths], [oldest], steps, groups] = await Promise.all([
    sumDepths(db, {}),
    findOldestOpenEvent(db, {}),
    sumHours(db, { from: before, since, until, hours }),
    listTopGroups(db, { since, before, until, hours, limit: mostGroups }),
  ]);
  return {
    depths,
    oldest,
    steps: steps.filter(({ step }) => step >= 0),
    stepsBefore: steps.filter(({ step }) => step < 0),
    groups,
  };
}
