import { UndoResultSchema, UndoSchema } from '../../../shared/events/actions/undo-events.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { undoAction } from '../../../shared/targets/undo-action.ts';
import { operation } from '../api/operation.ts';
import { AuditParam } from '../api/read-request.ts';

/** `POST /audit/{id}/undo`. */
export const undoOperation = operation(
  {
    operationId: 'undoAction',
    summary: 'Undo an action',
    description:
      'Returns the events of a discard, a reopening, a change of priority or an edit to the state and time that they had, as far as nothing happened to them since; releases the target of a hold.',
    tag: 'audit',
    params: { id: AuditParam },
    body: UndoSchema,
    responses: { 200: { description: 'The number of events changed.', schema: UndoResultSchema } },
  },
  async (deps: Pick<ReplayDeps, 'db' | 'routes'>, { body, params, caller }) => ({
    body: await undoAction(deps, { ...body, id: params.id, actor: caller.name }),
  }),
);
