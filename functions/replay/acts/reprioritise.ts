import * as v from 'valibot';
import { reprioritiseEvents } from '../../../shared/acts.ts';
import type { Operation } from '../api/resource.ts';
import { actOperation } from './act-operation.ts';
import type { ActDeps } from './carry-out-act.ts';
import { actEntries, narrowStatus, readAct } from './read-act.ts';

const remedy = 'Give a whole number from -32768 to 32767; the lower goes first.';

const ReprioritiseSchema = v.strictObject({
  ...actEntries,
  priority: v.pipe(
    v.number(remedy),
    v.integer(remedy),
    v.minValue(-32_768, remedy),
    v.maxValue(32_767, remedy),
  ),
});

const description = {
  operationId: 'reprioritiseEvents',
  summary: 'Reprioritise events',
  description: 'Gives open events another priority: of those that are due, the lower goes first.',
  properties: { priority: { type: 'integer', minimum: -32_768, maximum: 32_767 } },
  required: ['priority'],
};

/** `POST /acts/reprioritise`. */
export function reprioritise(deps: ActDeps): Operation {
  return actOperation(deps, description, (request) => {
    const { reason, dryRun, priority, filter: asked } = readAct(ReprioritiseSchema, request);
    const filter = narrowStatus(asked, ['PENDING', 'PROCESSING']);
    const change = (ids: readonly string[], auditId: string) =>
      reprioritiseEvents(deps.db, filter, { ids, auditId, priority });
    const actor = request.caller.name;
    const details = { filter: asked, priority };
    return { dryRun, act: { name: 'reprioritise', actor, reason, details, filter, priority, change } };
  });
}
