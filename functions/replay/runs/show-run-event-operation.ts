import * as v from 'valibot';
import { NotFoundError } from '../../../shared/errors.ts';
import { getRun } from '../../../shared/replay/change-run.ts';
import { RunEventSchema } from '../../../shared/replay/list-run-events.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { ShownChangeSchema } from '../../../shared/replay/show-change.ts';
import { showRunEvent } from '../../../shared/replay/show-run-event.ts';
import { checkInput, EventParam, RunParam } from '../api/check-input.ts';
import { type Operation, operation } from '../api/operation.ts';

/** `GET /runs/{id}/events/{event}`: one event of a run, and its message before and after an edit. */
export function showRunEventOperation(deps: Pick<ReplayDeps, 'db' | 'routes'>): Operation {
  return operation(description, async ({ params }) => {
    const run = await getRun(deps.db, checkInput(RunParam, params.id, 'id'));
    const eventId = checkInput(EventParam, params.event, 'event');
    const shown = await showRunEvent(deps, run, eventId);
    if (!shown) throw new NotFoundError(`Run ${run.id} has no event ${eventId}.`);
    return { body: shown };
  });
}

const description = {
  operationId: 'showRunEvent',
  summary: 'Show an event of a replay, before and after its edit',
  tag: 'runs',
  params: { id: RunParam, event: EventParam },
  responses: {
    200: {
      description: 'The event, and its message before and after, if the replay edits it.',
      schema: v.strictObject({ ...RunEventSchema.entries, ...ShownChangeSchema.entries }),
    },
  },
} as const;
