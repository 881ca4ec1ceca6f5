import * as v from 'valibot';
import { discardEvents } from './actions.ts';
import { actionEntries, narrowStatus, type ReadAction, readAction } from './read-action.ts';

export const DiscardSchema = v.strictObject(actionEntries);

/** The statuses that can be discarded; PROCESSING, if the lease has expired. */
export const discardable = ['PENDING', 'PROCESSING', 'FAILED_PERMANENTLY'] as const;

/** Closes events as DISCARDED, so that they are not delivered any more. */
export const discard: ReadAction = (db, request) => {
  const { reason, dryRun, filter: requested } = readAction(DiscardSchema, request);
  const filter = narrowStatus(requested, discardable);
  return {
    dryRun,
    action: {
      name: 'discard',
      actor: request.actor,
      reason,
      filter,
      priority: null,
      details: { filter: requested },
      change: (ids, auditId) => discardEvents(db, filter, { ids, auditId }),
    },
  };
};
