import { randomUUID } from 'node:crypto';
import { claimEvents, findHeads, type LeasedEvent, listLanes, type Settlement } from '../../shared/events.ts';
import type { Lane } from '../../shared/lanes.ts';
import type { TestDatabase } from './database.ts';

type Claim = Partial<Omit<Parameters<typeof claimEvents>[1], 'lanes'>> & {
  readonly lanes?: readonly string[];
  /** What is said of every lane, instead of the plainest. */
  readonly about?: Partial<Lane & { readonly quota: number }>;
};

/**
 * Claims from every lane what is due now, 50 at most and for a minute, unless told otherwise. Lanes with keys are claimed
 * as those of an ordered route only where `about` says so.
 */
export async function claim(
  { db }: TestDatabase,
  { lanes, about, ...more }: Claim = {},
): Promise<LeasedEvent[]> {
  const known = await listLanes(db, {});
  const plain = { route: 0, quota: 1_000_000, max_retries: 240, target: 'http://shop/' };
  const claim = { runId: '1', limit: 50, dueAt: new Date().toISOString(), ...aLease(), ...more };
  const keyed = known.filter(({ has_key }) => has_key && about?.is_ordered).map(({ lane }) => lane);
  const walked = { lanes: JSON.stringify(keyed.map((lane) => ({ lane }))), most: 1000 };
  const found = await findHeads(db, { ...walked, dueAt: claim.dueAt, limit: claim.limit });
  const wanted = (lanes ?? known.map(({ lane }) => lane)).map((lane) => ({
    lane,
    heads: found.find((each) => each.lane === lane)?.ids,
    ...plain,
    ...about,
  }));
  return claimEvents(db, { lanes: JSON.stringify(wanted), ...claim });
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
    goes_back: false,
    skip_reason: null,
    skip_detail: null,
    sent_digest: null,
    fingerprint: null,
    ...more,
  };
}
