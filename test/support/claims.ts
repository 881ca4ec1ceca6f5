import { randomUUID } from 'node:crypto';
import { deal } from '../../shared/delivery/deal.ts';
import { leaseEvents } from '../../shared/delivery/lease.ts';
import type { ClaimedEvent } from '../../shared/delivery/leased-event.ts';
import { findGroups } from '../../shared/delivery/pick.ts';
import type { EventGroup } from '../../shared/delivery/picker.ts';
import type { Route } from '../../shared/delivery/routes.ts';
import type { Settlement } from '../../shared/delivery/settlement.ts';
import { openWork } from '../../shared/delivery/work-state.ts';
import { openDueEvents } from '../../shared/schedule/due-events.ts';
import type { TestDatabase } from './database.ts';
import { aRouteTo, retryConfig } from './routes.ts';

type Claim = {
  readonly limit?: number;
  readonly dueAt?: string;
  readonly leaseToken?: string;
  readonly leaseSeconds?: number;
  readonly runId?: string;
  readonly routes?: readonly Route[];
  /** How many events of a route are dealt out. */
  readonly quota?: number;
};

/** Picks and leases what is due now as a tick does, 50 at most and for a minute, unless it says otherwise. */
export async function claim(database: TestDatabase, terms: Claim = {}): Promise<ClaimedEvent[]> {
  const { db, sql } = database;
  // The clock of the database: a Date would be up to a millisecond before events that became due just now.
  const [{ now } = { now: '' }] = await sql<{ now: string }>('select now()::text as now');
  // A test may use one token for all its leases.
  if (terms.leaseToken) await sql('delete from dlq_leases where token = $1', [terms.leaseToken]);
  const { limit = 50, dueAt = now, routes = [aRouteTo('http://shop/')], quota } = terms;
  const groups = await pick(database, { dueAt, routes });
  const ofRoutes = new Map(quota === undefined ? [] : routes.map((route) => [route, quota] as const));
  const dealt = deal(groups, {
    all: limit,
    parts: ofRoutes,
    sampled: new Set<never>(),
  });
  return leaseEvents(db, {
    runId: terms.runId ?? '1',
    events: dealt.map(({ id, group }) => ({ id, isOrdered: group.isOrdered })),
    dueAt,
    upTo: null,
    leaseToken: terms.leaseToken ?? randomUUID(),
    leaseSeconds: terms.leaseSeconds ?? 60,
  });
}

/** Returns the groups that a tick picks first. */
export async function pick(
  { db }: TestDatabase,
  { dueAt, routes }: { readonly dueAt: string; readonly routes: readonly Route[] },
): Promise<readonly EventGroup[]> {
  const deps = { db, routes, retry: retryConfig() };
  const due = openDueEvents(deps, { dueAt });
  const work = openWork(deps, { runId: null, picker: due, endsAt: Number.POSITIVE_INFINITY });
  for (;;) {
    const { groups, stopped } = await findGroups(work);
    if (groups || stopped !== undefined) return groups ?? [];
  }
}

export const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);

/** The record of a worker about a delivered event, with anything overridden. */
export function aSettlement(id: string, leaseToken: string, more: Partial<Settlement> = {}): Settlement {
  const { outcome = 'delivered' } = more;
  const runOutcome = outcome === null ? 'waiting' : outcome === 'delivered' ? 'delivered' : 'failed';
  return {
    id,
    leaseToken,
    failureCount: 1,
    status: 'SUCCEEDED',
    failedStatus: 'PENDING',
    isFailed: runOutcome === 'failed',
    outcome,
    runOutcome,
    target: 'http://shop/',
    startedAt: new Date('2026-01-02T03:04:05Z'),
    durationMs: 12,
    responseStatus: 200,
    responseBody: 'ok',
    retryInSeconds: 60,
    ...more,
  };
}
