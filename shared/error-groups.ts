import type { Database } from './database.ts';
import type { GroupChange } from './group-change.ts';
import { statement } from './sql.ts';

/** The last two an error group comes to by itself: MUTED ends, and RESOLVED becomes RETURNED. */
export const groupStates = ['OPEN', 'ACKNOWLEDGED', 'MUTED', 'RESOLVED', 'RETURNED'] as const;
export type GroupState = (typeof groupStates)[number];

/** What is kept of an error group. Counts are events, but for `failures`: captures and returns, ever. */
export type ErrorGroup = {
  readonly fingerprint: string;
  readonly state: GroupState;
  /** Class and message without what belongs to a single event. Null for the moment before it was read. */
  readonly title: string | null;
  readonly sample_event_id: string | null;
  readonly first_seen_at: Date;
  readonly last_seen_at: Date;
  readonly failures: number;
  readonly owner: string | null;
  readonly note: string | null;
  readonly state_changed_at: Date;
  readonly muted_until: Date | null;
  readonly muted_until_failure: number | null;
  readonly muted_until_hourly: number | null;
  /** Failures in each of the last 24 hours, the current one last. */
  readonly trend: readonly number[];
};

export type ListedGroup = ErrorGroup & {
  readonly open: number;
  readonly failed_permanently: number;
  /** The five with most events, and how many there are. */
  readonly event_types: readonly string[];
  readonly event_type_count: number;
  readonly failures_in_24_hours: number;
  readonly novelty: 'returned' | 'new' | 'growing' | null;
  /** Where a page that begins behind this group goes on. */
  readonly key: string;
};

export type FoundGroup = ErrorGroup & {
  readonly event_types: readonly {
    readonly event_type: string;
    readonly open: number;
    readonly failed_permanently: number;
    readonly succeeded: number;
    readonly discarded: number;
  }[];
  /** Of the latest 500 events. */
  readonly consumers: readonly { readonly name: string; readonly events: number }[];
};

export type GroupAct = {
  readonly at: Date;
  readonly actor: string;
  readonly act: string;
  readonly reason: string | null;
  readonly details: Readonly<Record<string, unknown>>;
};

/** `until` is now; `afterKey` and `afterFingerprint` are of the last group of the page before, or null. */
export const listGroups = statement<
  {
    states: readonly GroupState[];
    order: 'size' | 'novelty' | 'recent';
    until: Date;
    limit: number;
    afterKey: string | null;
    afterFingerprint: string | null;
  },
  ListedGroup
>('list-groups');

export const countGroups = statement<
  Record<string, never>,
  { readonly state: GroupState; readonly groups: number }
>('count-groups');

/** `until` is now. No row where nobody has failed so. */
export const findGroup = statement<{ fingerprint: string; until: Date }, FoundGroup>('find-group');

export const listGroupActs = statement<{ fingerprint: string }, GroupAct>('list-group-acts');

const changeGroupColumns = statement<
  {
    fingerprint: string;
    actor: string;
    state: string | null;
    owner: string | null;
    note: string | null;
    reason: string | null;
    mutedUntil: Date | null;
    mutedForFailures: number | null;
    mutedUntilHourly: number | null;
  },
  { readonly fingerprint: string; readonly state: GroupState }
>('change-group');

/** Changes what people say about a group, and records it under the name of `actor`. False: there is no such group. */
export async function changeGroup(
  db: Database,
  fingerprint: string,
  { actor, ...change }: GroupChange & { readonly actor: string },
): Promise<boolean> {
  const muting = change.state === 'MUTED' ? change : undefined;
  const changed = await changeGroupColumns(db, {
    fingerprint,
    actor,
    state: change.state ?? null,
    owner: change.owner ?? null,
    note: change.note ?? null,
    reason: change.reason ?? null,
    mutedUntil: muting?.mutedUntil ?? null,
    mutedForFailures: muting?.mutedForFailures ?? null,
    mutedUntilHourly: muting?.mutedUntilHourly ?? null,
  });
  return changed.length > 0;
}
