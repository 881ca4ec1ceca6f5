import { randomUUID } from 'node:crypto';
import {
  claimEvents,
  claimEventsById,
  type LeasedEvent,
  listLanes,
  type Settlement,
} from '../../shared/events.ts';
import type { TestDatabase } from './database.ts';

type Claim = Partial<Parameters<typeof claimEvents>[1]>;

/** Claims from every lane what is due now, 50 at most and for a minute, unless told otherwise. */
export async function claim({ db }: TestDatabase, more: Claim = {}): Promise<LeasedEvent[]> {
  const lanes = (await listLanes(db, {})).map(({ lane }) => lane);
  return claimEvents(db, { lanes, limit: 50, dueAt: new Date().toISOString(), ...aLease(), ...more });
}

/** Claims the named events for a minute. */
export function claimById(
  { db }: TestDatabase,
  ids: string[],
  includeSucceeded = false,
): Promise<LeasedEvent[]> {
  return claimEventsById(db, { ids, includeSucceeded, ...aLease() });
}

function aLease() {
  return { leaseToken: randomUUID(), leaseSeconds: 60 };
}

export const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);

/** What a worker records of a delivered event, with anything overridden. */
export function aSettlement(id: string, leaseToken: string, more: Partial<Settlement> = {}): Settlement {
  return {
    id,
    lease_token: leaseToken,
    failure_count: 1,
    status: 'SUCCEEDED',
    is_failure: false,
    retry_in_seconds: null,
    outcome: 'delivered',
    failure_kind: null,
    target: 'http://shop/',
    started_at: new Date('2026-01-02T03:04:05Z'),
    duration_ms: 12,
    response_status: 200,
    response_body: 'ok',
    error: null,
    ...more,
  };
}
