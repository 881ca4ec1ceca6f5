import * as v from 'valibot';
import { wholeNumber } from '../../config/whole-number.ts';
import type { Status } from '../event.ts';
import { filteredStatement } from '../filter/filtered-statement.ts';
import { type ActionInput, actionEntries, narrowStatus, type ReadAction, readAction } from './read-action.ts';

export const DiscardSchema = v.strictObject(actionEntries);

export const ReopenSchema = v.strictObject({
  ...actionEntries,
  includeSucceeded: v.exactOptional(
    v.pipe(v.boolean('Use true or false.'), v.description('Also reopens events that were delivered.')),
    false,
  ),
});

export const ReprioritizeSchema = v.strictObject({
  ...actionEntries,
  priority: v.pipe(
    wholeNumber(-32_768, 32_767),
    v.description('The new priority; the lowest number goes first.'),
  ),
});

/** The statuses that can be discarded; PROCESSING, if the lease has expired. */
export const discardable = ['PENDING', 'PROCESSING', 'FAILED_PERMANENTLY'] as const;

/** The statuses that can be reopened; SUCCEEDED as well if a request includes it. */
export const reopenable = ['FAILED_PERMANENTLY', 'DISCARDED'] as const;

/** The statuses that can be reprioritized; PROCESSING, if the lease has expired. */
export const reprioritizable = ['PENDING', 'PROCESSING'] as const;

/** The statement that makes these assignments to the chosen events. */
const changeEvents = (assignments: string) =>
  filteredStatement<
    { ids: readonly string[]; auditId: string; priority: number | null },
    { readonly changed: number }
  >('change-events', import.meta.url, () => ({ assignments }));

export const discardEvents = changeEvents(
  `status = 'DISCARDED', processed_at = now(), lease_token = null, lease_expires_at = null`,
);

// Resets the retry count: with all retries used up, the next failure would be permanent. The age begins
// again.
const reopenEvents = changeEvents(
  `status = 'PENDING', processed_at = null, retry_count = 0, retry_after = now(), cause = null, reopened_at = now()`,
);

const reprioritizeEvents = changeEvents('priority = :priority');

/** Closes events as DISCARDED, so that they are not delivered any more. */
export const discard = actionOf('discard', DiscardSchema, { statuses: discardable, change: discardEvents });

/** Makes closed events due now, with all their retries left. */
export const reopen = actionOf('reopen', ReopenSchema, { statuses: reopenable, change: reopenEvents });

/** Changes the priority of open events: of the events that are due, the lowest number goes first. */
export const reprioritize = actionOf('reprioritize', ReprioritizeSchema, {
  statuses: reprioritizable,
  change: reprioritizeEvents,
});

function actionOf(
  name: string,
  schema: v.GenericSchema<unknown, ActionInput>,
  { statuses, change }: { readonly statuses: readonly Status[]; readonly change: typeof discardEvents },
): ReadAction {
  return (db, request) => {
    const { reason, dryRun, filter: requested, includeSucceeded, priority } = readAction(schema, request);
    const filter = narrowStatus(requested, includeSucceeded ? [...statuses, 'SUCCEEDED'] : statuses);
    return {
      dryRun,
      action: {
        name,
        actor: request.actor,
        reason,
        filter,
        priority: priority ?? null,
        details: { filter: requested, priority },
        change: (ids, auditId) => change(db, filter, { ids, auditId, priority: priority ?? null }),
      },
    };
  };
}
