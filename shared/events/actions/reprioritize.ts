import * as v from 'valibot';
import { reprioritizeEvents } from './actions.ts';
import { actionEntries, narrowStatus, type ReadAction, readAction } from './read-action.ts';

const remedy = 'Give a whole number from -32768 to 32767; the lowest goes first.';

export const ReprioritizeSchema = v.strictObject({
  ...actionEntries,
  priority: v.pipe(
    v.number(remedy),
    v.integer(remedy),
    v.minValue(-32_768, remedy),
    v.maxValue(32_767, remedy),
    v.description('The new priority; the lowest number goes first.'),
  ),
});

/** The statuses that can be reprioritized; PROCESSING, if the lease has expired. */
export const reprioritizable = ['PENDING', 'PROCESSING'] as const;

/** Changes the priority of open events: of the events that are due, the lowest number goes first. */
export const reprioritize: ReadAction = (db, request) => {
  const { reason, dryRun, priority, filter: requested } = readAction(ReprioritizeSchema, request);
  const filter = narrowStatus(requested, reprioritizable);
  return {
    dryRun,
    action: {
      name: 'reprioritize',
      actor: request.actor,
      reason,
      filter,
      priority,
      details: { filter: requested, priority },
      change: (ids, auditId) => reprioritizeEvents(db, filter, { ids, auditId, priority }),
    },
  };
};
