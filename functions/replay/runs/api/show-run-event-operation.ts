import { NotFoundError } from '../../../../shared/errors.ts';
import { describePathId, readEventId, readRunId, runIdParameter } from '../../api/path-id.ts';
import { describeAnswer } from '../../api/read-page.ts';
import type { ApiRequest, Operation } from '../../api/resource.ts';
import type { ReplayDeps } from '../../replay-deps.ts';
import { getRun } from '../change-run.ts';
import { showRunEvent } from '../show-run-event.ts';
import { shownSchema } from './preview-schemas.ts';
import { runEventSchema } from './run-schemas.ts';

/** `GET /runs/{id}/events/{event}`: one event of a run, and what was sent in place of the original. */
export function showRunEventOperation(deps: Pick<ReplayDeps, 'db' | 'routes'>): Operation {
  const handle = async (request: ApiRequest) => {
    const run = await getRun(deps.db, readRunId(request));
    const eventId = readEventId(request, 'event');
    const shown = await showRunEvent(deps, run, eventId);
    if (!shown) throw new NotFoundError(`Run ${run.id} has no event ${eventId}.`);
    return { body: shown };
  };
  const schemas = { RunEvent: runEventSchema, Shown: shownSchema };
  return { handle, description, schemas };
}

const shown = { $ref: '#/components/schemas/Shown' };

const description = {
  operationId: 'showRunEvent',
  summary: 'Show an event of a replay, before and after it was edited',
  tags: ['runs'],
  parameters: [runIdParameter, describePathId('an event', 'event')],
  responses: describeAnswer('The event, and its edited version where there is one.', {
    ...runEventSchema,
    properties: { ...runEventSchema.properties, before: shown, after: shown, skipped: { type: 'object' } },
  }),
};
