import * as v from 'valibot';
import { reopenEvents } from '../../../shared/acts.ts';
import type { Operation } from '../api/resource.ts';
import { actOperation } from './act-operation.ts';
import type { ActDeps } from './carry-out-act.ts';
import { actEntries, narrowStatus, readAct } from './read-act.ts';

const ReopenSchema = v.strictObject({
  ...actEntries,
  includeSucceeded: v.exactOptional(v.boolean('Use true or false.'), false),
});

const description = {
  operationId: 'reopenEvents',
  summary: 'Reopen events',
  description:
    'Makes events that are DISCARDED or FAILED_PERMANENTLY due now, with all their retries before them.',
  properties: {
    includeSucceeded: {
      type: 'boolean',
      default: false,
      description: 'Deliver once more what was delivered already.',
    },
  },
};

/** `POST /acts/reopen`. */
export function reopen(deps: ActDeps): Operation {
  return actOperation(deps, description, (request) => {
    const { reason, dryRun, includeSucceeded, filter: asked } = readAct(ReopenSchema, request);
    const succeeded = includeSucceeded ? (['SUCCEEDED'] as const) : [];
    const filter = narrowStatus(asked, ['FAILED_PERMANENTLY', 'DISCARDED', ...succeeded]);
    const change = (ids: readonly string[], auditId: string) =>
      reopenEvents(deps.db, filter, { ids, auditId });
    const actor = request.caller.name;
    return {
      dryRun,
      act: { name: 'reopen', actor, reason, details: { filter: asked }, filter, priority: null, change },
    };
  });
}
