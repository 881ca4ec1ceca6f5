import { RestoredSchema, RestoreSchema, restore } from '../../shared/archive/restore.ts';
import type { Database } from '../../shared/database/database.ts';
import type { EventAction } from '../../shared/events/actions/define-action.ts';
import {
  type ActionDeps,
  ActionResultSchema,
  requestAction,
} from '../../shared/events/actions/run-action.ts';
import { UndoResultSchema, UndoSchema } from '../../shared/events/actions/undo-events.ts';
import type { ReplayDeps } from '../../shared/replay/replay-deps.ts';
import { undoAction } from '../../shared/targets/undo-action.ts';
import { operation } from './api/operation.ts';
import { AuditParam } from './api/read-request.ts';

/** `POST /events/<name>`: runs an action on many events, or previews it. */
export function operationOf(action: EventAction) {
  return operation(
    {
      summary: `${action.verb} events`,
      description: `${action.effect} It changes events that are ${action.statuses.join(', ')}.`,
      body: action.schema,
      returns: ActionResultSchema,
    },
    async (deps: ActionDeps & Pick<ReplayDeps, 'routes' | 'masks'>, { body, caller, now }) => ({
      body: await requestAction(deps, caller, action.read({ body, actor: caller.name, now })),
    }),
  );
}

export const restoreEventsOperation = operation(
  {
    summary: 'Restore archived events',
    description:
      'Moves events back from the archive, unchanged. An event that was captured again meanwhile stays archived.',
    body: RestoreSchema,
    returns: RestoredSchema,
  },
  async ({ db }: { readonly db: Database }, { body, caller, now }) => ({
    body: await restore(db, { body, actor: caller.name, now }),
  }),
);

export const undoActionOperation = operation(
  {
    summary: 'Undo an action',
    description:
      'Returns the events of an action or an edit to the state and time that they had, as far as nothing happened to them since; releases the target of a hold.',
    params: { id: AuditParam },
    body: UndoSchema,
    returns: UndoResultSchema,
  },
  async (deps: Pick<ReplayDeps, 'db' | 'routes'>, { body, params, caller }) => ({
    body: await undoAction(deps, { ...body, id: params.id, actor: caller.name }),
  }),
);
