import { statement } from '../database/statement.ts';
import type { Filter } from '../events/filter/filter-schema.ts';

/** Why events are excluded when a run is created: the meaning of each code with its remedy, for operators. */
export const exclusions = {
  leased: 'It is being delivered now.',
  delivered: 'It was delivered: only a filter that names the status SUCCEEDED selects it.',
  discarded: 'It was discarded: only a filter that names the status DISCARDED selects it.',
  'no-route': 'No route matches it: configure one.',
} as const;

/**
 * SQL for the exclusion of an event by its status; null if it may be replayed. A filter that names statuses
 * matches no others.
 */
export function exclusion(filter: Filter, isLeased = 'lease_expires_at > now()'): string {
  const ofClosed = `when status = 'SUCCEEDED' then 'delivered' when status = 'DISCARDED' then 'discarded'`;
  const isNamed = filter.status !== undefined;
  return `case when status = 'PROCESSING' and ${isLeased} then 'leased' ${isNamed ? '' : ofClosed} end`;
}

export type Exclusion = keyof typeof exclusions;
export const excludedBecause = Object.keys(exclusions) as Exclusion[];

/** Why an event of a run was skipped: an exclusion, or a change since the run was created. */
export type SkipReason = Exclusion | 'captured-again' | 'changed' | 'held-back' | 'gone' | 'patch' | 'cause';

/** The meaning of each skip reason, for operators. */
export const skipReasons: Readonly<Record<SkipReason, string>> = {
  leased: 'Another worker was delivering it.',
  delivered: 'It was delivered after it was selected, by the schedule or another run.',
  discarded: 'It was discarded after it was selected.',
  'no-route': 'No route matches it any more.',
  'captured-again': 'It failed at its consumer again after it was selected.',
  changed: 'It was delivered, discarded or captured again before its edit.',
  'held-back':
    'An earlier event of its key is not done, and its route is ordered: replay or discard that one first.',
  gone: 'It no longer exists: it was archived or deleted.',
  cause:
    'Set aside: what failed of its cause before failed in this run, too. Mend its consumer, edit one, or replay it with the pace ungated.',
  patch: 'The patch does not apply to it.',
};

/** A waiting event of a run that will not be delivered: why, as a code, and in words if they vary. */
export type Skipped = { readonly id: string; readonly reason: string; readonly detail?: string };

export const skipRunEvents = statement<{ runId: string; skipped: readonly Skipped[] }, never>(
  'skip-run-events',
);
