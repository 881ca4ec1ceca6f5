import { RestoredSchema, RestoreSchema, restore } from '../../../shared/archive/restore.ts';
import type { Database } from '../../../shared/database/database.ts';
import {
  DiscardSchema,
  discard,
  ReopenSchema,
  ReprioritizeSchema,
  reopen,
  reprioritize,
} from '../../../shared/events/actions/actions.ts';
import type { ReadAction } from '../../../shared/events/actions/read-action.ts';
import {
  type ActionDeps,
  ActionResultSchema,
  runOrPreview,
} from '../../../shared/events/actions/run-action.ts';
import { UndoResultSchema, UndoSchema } from '../../../shared/events/actions/undo-events.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { undoAction } from '../../../shared/targets/undo-action.ts';
import { type OperationDescription, operation } from '../api/operation.ts';
import { AuditParam } from '../api/read-request.ts';

export const discardOperation = actionOperation(discard, {
  operationId: 'discardEvents',
  summary: 'Discard events',
  description:
    'Closes events that are PENDING or FAILED_PERMANENTLY as DISCARDED: they are not delivered any more.',
  body: DiscardSchema,
});

export const reopenOperation = actionOperation(reopen, {
  operationId: 'reopenEvents',
  summary: 'Reopen events',
  description: 'Makes events that are DISCARDED or FAILED_PERMANENTLY due now, with all their retries left.',
  body: ReopenSchema,
});

export const reprioritizeOperation = actionOperation(reprioritize, {
  operationId: 'reprioritizeEvents',
  summary: 'Reprioritize events',
  description:
    'Changes the priority of open events: of the events that are due, the lowest number goes first.',
  body: ReprioritizeSchema,
});

export const restoreOperation = operation(
  {
    operationId: 'restoreEvents',
    summary: 'Restore archived events',
    description:
      'Moves events back from the archive, unchanged. An event that was captured again meanwhile stays archived.',
    tag: 'events',
    body: RestoreSchema,
    responses: { 200: { description: 'The restored events.', schema: RestoredSchema } },
  },
  async ({ db }: { readonly db: Database }, { body, caller, now }) => ({
    body: await restore(db, { body, actor: caller.name, now }),
  }),
);

/** Runs the action that `read` makes of a request, or previews it. */
function actionOperation(read: ReadAction, description: Omit<OperationDescription, 'tag' | 'responses'>) {
  const responses = { 200: { description: 'The number of events changed.', schema: ActionResultSchema } };
  return operation(
    { ...description, tag: 'events', responses },
    async (deps: ActionDeps & Pick<ReplayDeps, 'routes'>, { body, caller, now }) => {
      const requested = read(deps.db, { body, actor: caller.name, now });
      await guardProbes(deps, caller, requested.action);
      return { body: await runOrPreview(deps, requested) };
    },
  );
}

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
