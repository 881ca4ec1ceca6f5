import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { refreshGroups } from '../../shared/groups/refresh-groups.ts';
import { aCapture } from './captures.ts';
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
    await storeCaptures({ db: database().db, maxRecurrences: 3 }, captures);
    await refreshGroups(database().db);
  };
}
