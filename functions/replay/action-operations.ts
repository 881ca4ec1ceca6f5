import * as v from 'valibot';
import { RestoredSchema, RestoreSchema, restore } from '../../shared/archive/restore.ts';
import type { EventAction } from '../../shared/events/actions/define-action.ts';
import { ActionResultSchema, requestAction } from '../../shared/events/actions/run-action.ts';
import { UndoSchema } from '../../shared/events/actions/undo-events.ts';
import { AuditEntrySchema, listAudit } from '../../shared/events/audit.ts';
import { EventIdSchema, maxBigint } from '../../shared/events/event-id.ts';
import { TextSchema } from '../../shared/events/filter/filter-values.ts';
import { described } from '../../shared/response-values.ts';
import { undoAction } from '../../shared/targets/change-hold.ts';
import { FilterTimeSchema, resolveTime } from '../../shared/time-text.ts';
import { idOf, operation, pageOf, pageQuery, toPage } from './api/operation.ts';

/** `POST /events/<name>`: runs an action on many events, or previews it. */
export function operationOf(action: EventAction) {
  return operation(
    {
      summary: `${action.verb} events`,
      description: `${action.effect} It changes events that are ${action.statuses.join(', ')}.`,
      body: action.schema,
      returns: ActionResultSchema,
    },
    async (deps, { body, caller, now }) => ({
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
  async ({ db }, { body, caller, now }) => ({ body: await restore(db, { body, actor: caller.name, now }) }),
);

export const undoActionOperation = operation(
  {
    summary: 'Undo an action',
    description:
      'Returns the events of an action or an edit to the state and time that they had, as far as nothing happened to them since; releases the target of a hold.',
    params: { id: idOf('an entry of the audit') },
    body: UndoSchema,
    returns: ActionResultSchema,
  },
  async (deps, { body, params: { id }, caller }) => ({
    body: await undoAction(deps, { ...body, id, actor: caller.name }),
  }),
);

const query = {
  event: v.optional(described(EventIdSchema, 'Lists actions on this event, alone or with others.')),
  run: v.optional(described(EventIdSchema, 'Lists actions on this run.')),
  fingerprint: v.optional(
    described(
      TextSchema,
      'Lists actions on this error group, on those merged into it, and its merges and splits.',
    ),
  ),
  actor: v.optional(
    described(TextSchema, 'Lists actions of actors whose name contains this, in upper or lower case.'),
  ),
  action: v.optional(described(TextSchema, 'Lists actions of this kind, such as `discard`.')),
  since: v.optional(described(FilterTimeSchema, 'Lists actions at this time or later.')),
  ...pageQuery,
};

export const listAuditOperation = operation(
  {
    summary: 'List the actions of operators',
    description: 'Every action: who, when, what and why. Entries cannot be changed.',
    query,
    returns: pageOf(AuditEntrySchema),
  },
  async (deps, { query: { limit, cursor: before = maxBigint, ...terms }, now }) => {
    const { event: eventId, run: runId, since, ...others } = terms;
    const from = since && resolveTime(since, now);
    const rows = await listAudit(
      deps,
      { eventId, runId, since: from, ...others },
      { before, max: limit + 1 },
    );
    return { body: toPage(rows, limit) };
  },
);
