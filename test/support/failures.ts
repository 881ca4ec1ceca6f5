import { randomUUID } from 'node:crypto';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { settleEvents } from '../../shared/delivery/settle.ts';
import { fingerprintReason } from '../../shared/fingerprint/fingerprint.ts';
import { refresh } from '../../shared/groups/refresh-groups.ts';
import { aCapture } from './captures.ts';
import { aSettlement, claim } from './claims.ts';
import type { TestDatabase } from './database.ts';

/** Makes so many new failures for one reason, of a type and consumer of its own. */
export type Fail = (errorReason: string, events?: number, eventType?: string) => Promise<void>;

/** Lets a suite have events that fail, known to their error groups at once. */
export function useFailures(database: () => TestDatabase): Fail {
  let last = 0;
  return async (errorReason, events = 1, eventType = 'order.created') => {
    const captures = Array.from({ length: events }, () => {
      last += 1;
      return aCapture({
        eventKey: `id:${last}`,
        errorReason,
        eventType,
        consumerGroup: `${eventType}-consumer`,
      });
    });
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
    await refresh(database().db);
  };
}

/** Lets so many due events fail at the target, without a refresh of their error groups. */
export async function failRetries(database: TestDatabase, error: string, events = 1): Promise<void> {
  const leaseToken = randomUUID();
  const claimed = await claim(database, { leaseToken, limit: events });
  const outcome = {
    outcome: 'transient',
    failureKind: 'transient',
    status: 'PENDING',
  } as const;
  const retryInSeconds = 3600;
  const fingerprint = fingerprintReason(error);
  const settlements = claimed.map(({ id }) =>
    aSettlement(id, leaseToken, { ...outcome, retryInSeconds, answer: error, fingerprint }),
  );
  await settleEvents(database.db, { runId: '1', settlements });
}
