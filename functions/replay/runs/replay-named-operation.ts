import * as v from 'valibot';
import { countOf } from '../../../shared/count-of.ts';
import type { DeliveryDeps } from '../../../shared/delivery/delivery-deps.ts';
import { EventIdsSchema } from '../../../shared/events/event-id.ts';
import { log } from '../../../shared/log.ts';
import { ReplaySchema, replayEvents } from '../../../shared/replay/replay-events.ts';
import { operation } from '../api/operation.ts';

const RequestSchema = v.strictObject({
  ids: v.pipe(
    EventIdsSchema,
    v.transform((ids) => [...new Set(ids)]),
  ),
  includeSucceeded: v.optional(
    v.pipe(
      v.boolean('Use true or false.'),
      v.description('Also delivers events that were delivered already.'),
    ),
    false,
  ),
});

export const replayNamedOperation = operation(
  {
    operationId: 'replayNamed',
    summary: 'Deliver the named events now',
    tag: 'replay',
    body: RequestSchema,
    responses: {
      200: {
        description: 'The result of each event, in the order of the request.',
        schema: ReplaySchema,
      },
    },
  },
  async (deps: DeliveryDeps, { body, caller }) => {
    const replay = await replayEvents(deps, body, caller.name);
    const { runId, progress } = replay;
    const message = `replayed ${countOf(body.ids.length, 'event')}: ${progress.delivered} delivered`;
    log('INFO', message, { action: 'replay', runId, progress });
    return { body: replay };
  },
);
