import { randomUUID } from 'node:crypto';
import type { Database } from '../shared/database/database.ts';
import { deal, remove } from '../shared/delivery/deal.ts';
import { leaseEvents } from '../shared/delivery/lease.ts';
import type { ClaimedEvent } from '../shared/delivery/leased-event.ts';
import { findGroups } from '../shared/delivery/pick.ts';
import type { Settlement } from '../shared/delivery/settlement.ts';
import { openWork } from '../shared/delivery/work-state.ts';
import { openDueEvents } from '../shared/schedule/due-events.ts';
import { aRouteTo, retryConfig } from '../test/support/routes.ts';

type Due = { readonly leaseToken: string; readonly events: readonly ClaimedEvent[] };

/** Returns a function that picks and leases up to `limit` due events, as a tick does; fewer at the end. */
export function openLeases(db: Database, limit: number): () => Promise<Due> {
  const dueAt = new Date().toISOString();
  const deps = { db, routes: [aRouteTo('http://shop/')], retry: retryConfig({ leaseSeconds: 300 }) };
  const due = openDueEvents(deps, { dueAt });
  const work = openWork(deps, { runId: null, picker: due, endsAt: Number.POSITIVE_INFINITY });
  return async () => {
    const leaseToken = randomUUID();
    for (;;) {
      const { groups, stopped } = await findGroups(work);
      if (stopped !== undefined) return { leaseToken, events: [] };
      const dealt = deal(groups ?? [], {
        all: limit,
        parts: new Map(),
        sampled: new Set<never>(),
      });
      if (dealt.length === 0) continue;
      remove(dealt);
      const events = dealt.map(({ id }) => ({ id, isOrdered: false }));
      const lease = { runId: '1', dueAt, upTo: null, leaseToken, leaseSeconds: 300 };
      const leased = await leaseEvents(db, { ...lease, events });
      if (work.pass) work.pass.gained += leased.length;
      return { leaseToken, events: leased };
    }
  };
}

/** The settlement of a leased event that was delivered. */
export function delivered({ id, failureCount }: ClaimedEvent, leaseToken: string): Settlement {
  const outcome = {
    outcome: 'delivered',
    target: 'http://shop/',
    startedAt: new Date(),
    durationMs: 1,
  } as const;
  const event = { id, leaseToken, failureCount, status: 'SUCCEEDED', failedStatus: 'PENDING' } as const;
  return { ...event, isFailed: false, runOutcome: 'delivered', retryInSeconds: 60, ...outcome };
}
