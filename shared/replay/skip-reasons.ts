import { statement } from '../database/statement.ts';
import type { Filter } from '../events/filter/filter-schema.ts';

/** Why a run leaves an event out when it is created, with the remedy, for operators. */
const exclusions = {
  leased: 'A delivery of it was in progress.',
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

/**
 * SQL for the exclusion of an event by its status; null if it may be replayed. A filter that names statuses
 * matches no others.
 */
export function exclusion(filter: Filter, isLeased = 'lease_expires_at > now()'): string {
  const ofClosed = `when status = 'SUCCEEDED' then 'delivered' when status = 'DISCARDED' then 'discarded'`;
  const isNamed = filter.status !== undefined;
  return `case when status = 'PROCESSING' and ${isLeased} then 'leased' ${isNamed ? '' : ofClosed} end`;
}

/** A waiting event of a run that will not be delivered: why, as a code, and in words if they vary. */
export type Skipped = { readonly id: string; readonly reason: string; readonly detail?: string };

export const skipRunEvents = statement<{ runId: string; skipped: readonly Skipped[] }, never>(
  'skip-run-events',
);
