import * as v from 'valibot';
import { discardEvents } from '../../../shared/acts.ts';
import type { Operation } from '../api/resource.ts';
import { actOperation } from './act-operation.ts';
import type { ActDeps } from './carry-out-act.ts';
import { actEntries, narrowStatus, readAct } from './read-act.ts';

const DiscardSchema = v.strictObject(actEntries);

const description = {
  operationId: 'discardEvents',
  summary: 'Discard events',
  description:
    'Closes events that are PENDING or FAILED_PERMANENTLY as DISCARDED: nothing delivers them any more.',
};

/** `POST /acts/discard`. */
export function discard(deps: ActDeps): Operation {
  return actOperation(deps, description, (request) => {
    const { reason, dryRun, filter: asked } = readAct(DiscardSchema, request);
    const filter = narrowStatus(asked, ['PENDING', 'PROCESSING', 'FAILED_PERMANENTLY']);
    const change = (ids: readonly string[], auditId: string) =>
      discardEvents(deps.db, filter, { ids, auditId });
    const actor = request.caller.name;
    return {
      dryRun,
      act: { name: 'discard', actor, reason, details: { filter: asked }, filter, priority: null, change },
    };
  });
}
