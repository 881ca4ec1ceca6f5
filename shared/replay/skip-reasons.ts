import { statement } from '../database/statement.ts';
import { isInPlace } from '../events/actions/run-action.ts';
import type { Filter } from '../events/filter/filter-schema.ts';

/** Why a run leaves an event out when it is created, with the remedy, for operators. */
const exclusions = {
  leased: 'A delivery of it was in progress.',
  edited: 'An edit replaced it: replay the edit, or undo it.',
  delivered: 'It was delivered: only a filter that names the status SUCCEEDED selects it.',
  discarded: 'It was discarded: only a filter that names the status DISCARDED selects it.',
  'no-route': 'No route matches it: configure one.',
} as const;

export type Exclusion = keyof typeof exclusions;
export const excludedBecause = Object.keys(exclusions) as Exclusion[];

/** Why a run leaves an event out, when it is created or later. */
export const skipReasons = {
  ...exclusions,
  'captured-again': 'It failed at its consumer again after it was selected.',
  changed: 'It was delivered, discarded or captured again before its edit.',
  'held-back':
    'An earlier event of its key is not done, and its route is ordered: replay or discard that one first.',
  gone: 'It no longer exists: it was archived or deleted.',
  cause:
    'Set aside: what failed of its cause before failed in this run, too. Mend its consumer, edit one, or replay it with the pace ungated.',
  patch: 'The patch does not apply to it.',
} as const;

export type SkipReason = keyof typeof skipReasons;

/** SQL for why a filter cannot select an event to replay, whose row is `event`. */
export function barrierOf({ status }: Filter): string {
  const ofEdited = status?.includes('DISCARDED') ? `when not ${isInPlace} then 'edited'` : '';
  return `case when status = 'PROCESSING' and lease_expires_at > now() then 'leased' ${ofEdited} end`;
}

/** The same, or why the filter has to name its status; null if it may be replayed. */
export function exclusion(filter: Filter, barrier = barrierOf(filter)): string {
  const ofClosed = `case status when 'SUCCEEDED' then 'delivered' when 'DISCARDED' then 'discarded' end`;
  return filter.status === undefined ? `coalesce(${barrier}, ${ofClosed})` : barrier;
}

/** A waiting event of a run that will not be delivered: why, as a code, and in words if they vary. */
export type Skipped = { readonly id: string; readonly reason: string; readonly detail?: string };

export const skipRunEvents = statement<{ runId: string; skipped: readonly Skipped[] }, never>(
  'skip-run-events',
);
