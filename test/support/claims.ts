import { randomUUID } from 'node:crypto';
import type { Settlement } from '../../shared/delivery/settlement.ts';
import { claimEvents } from '../../shared/schedule/due-events.ts';
import { type Front, findFronts, frontsOf } from '../../shared/schedule/fronts.ts';
import { findHeads } from '../../shared/schedule/key-cursor.ts';
import { listLanes } from '../../shared/schedule/lanes.ts';
import type { TestDatabase } from './database.ts';

type Claim = Partial<Omit<Parameters<typeof claimEvents>[1], 'lanes'>> & {
  readonly lanes?: readonly string[];
  /** Of the only lane, instead of those that are found now. */
  readonly fronts?: readonly Front[];
  /** Properties of every lane, instead of the plainest. */
  readonly about?: {
    readonly isOrdered?: boolean;
    readonly route?: number;
    readonly quota?: number;
    readonly maxRetries?: number;
    readonly target?: string;
  };
};

/**
 * Claims from every lane what is due now, 50 at most and for a minute, unless told otherwise. Lanes with keys are claimed
 * as those of an ordered route only where `about` says so.
 */
export async function claim(
  { db, sql }: TestDatabase,
  { lanes, fronts, about, ...more }: Claim = {},
): ReturnType<typeof claimEvents> {
  const known = await listLanes(db, { max: 0 });
  // The clock of the database: a Date would be up to a millisecond before events that became due just now.
  const [{ now } = { now: '' }] = await sql<{ now: string }>('select now()::text as now');
  const plain = { route: 0, quota: 1_000_000, maxRetries: 240, target: 'http://shop/' };
  const claim = { runId: '1', limit: 50, dueAt: now, ...aLease(), ...more };
  const keyed = known.filter(({ hasKey }) => hasKey && about?.isOrdered).map(({ lane }) => lane);
  const walked = { lanes: keyed.map((lane) => ({ lane, after: null })), max: 1000 };
  const found = await findHeads(db, { ...walked, dueAt: claim.dueAt, limit: claim.limit });
  const { isOrdered: _, ...terms } = about ?? {};
  const due = await findFronts(db, { lanes: known.map(({ lane }) => lane), dueAt: claim.dueAt });
  const wanted = (lanes ?? known.map(({ lane }) => lane)).map((lane) => ({
    lane,
    fronts: keyed.includes(lane) ? undefined : (fronts ?? frontsOf(due, lane)),
    heads: found.find((each) => each.lane === lane)?.ids,
    headPriority: found.find((each) => each.lane === lane)?.priority,
    ...plain,
    ...terms,
  }));
  return claimEvents(db, { lanes: wanted, ...claim });
}

function aLease() {
  return { leaseToken: randomUUID(), leaseSeconds: 60, maxLost: 240 };
}

/** The fronts of a lane before its first event. All have the priority 0. */
export const fromBeginning: readonly Front[] = [{ priority: 0, retry_after: '-infinity', id: '0' }];

export const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);

/** The record of a worker about a delivered event, with anything overridden. */
export function aSettlement(id: string, leaseToken: string, more: Partial<Settlement> = {}): Settlement {
  return {
    id,
    leaseToken: leaseToken,
    status: 'SUCCEEDED',
    isFailure: false,
    outcome: 'delivered',
    target: 'http://shop/',
    startedAt: new Date('2026-01-02T03:04:05Z'),
    durationMs: 12,
    responseStatus: 200,
    responseBody: 'ok',
    ...more,
  };
}
