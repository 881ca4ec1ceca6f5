import * as v from 'valibot';
import { reopenEvents } from './actions.ts';
import { actionEntries, narrowStatus, type ReadAction, readAction } from './read-action.ts';

export const ReopenSchema = v.strictObject({
  ...actionEntries,
  includeSucceeded: v.exactOptional(
    v.pipe(v.boolean('Use true or false.'), v.description('Also reopens events that were delivered.')),
    false,
  ),
});

/** The statuses that can be reopened; SUCCEEDED as well if a request includes it. */
export const reopenable = ['FAILED_PERMANENTLY', 'DISCARDED'] as const;

/** Makes closed events due now, with all their retries left. */
export const reopen: ReadAction = (db, request) => {
  const { reason, dryRun, includeSucceeded, filter: requested } = readAction(ReopenSchema, request);
  const filter = narrowStatus(requested, includeSucceeded ? [...reopenable, 'SUCCEEDED'] : reopenable);
  return {
    dryRun,
    action: {
      name: 'reopen',
      actor: request.actor,
      reason,
      filter,
      priority: null,
      details: { filter: requested },
      change: (ids, auditId) => reopenEvents(db, filter, { ids, auditId }),
    },
  };
};
