import * as v from 'valibot';
import type { DeliveryDeps } from '../../shared/deliver-batch.ts';
import { InputError } from '../../shared/errors.ts';
import { EventIdSchema } from '../../shared/filter/filter-schema.ts';
import { log } from '../../shared/log.ts';
import { check } from '../../shared/validate.ts';
import { describeAnswer } from './api/read-page.ts';
import type { ApiRequest, Operation } from './api/resource.ts';
import { replayEvents } from './replay-events.ts';

const most = 1000;

const ReplaySchema = v.strictObject({
  ids: v.pipe(
    v.array(EventIdSchema, 'Give a list of event ids.'),
    v.minLength(1, 'Name at least one event.'),
    v.maxLength(most, `Name at most ${most} events at a time.`),
    v.transform((ids) => [...new Set(ids)]),
  ),
  includeSucceeded: v.optional(v.boolean('Use true or false.'), false),
});

/** `POST / {"ids": [...], "includeSucceeded"?: boolean}`: delivers those events now and answers for each. */
export function replayNamed(deps: DeliveryDeps): Operation {
  const handle = async ({ body, caller }: ApiRequest) => {
    const checked = check(ReplaySchema, body);
    if (!checked.ok) throw new InputError(checked.problems);
    const done = await replayEvents(deps, checked.value, caller.name);
    const { runId, progress } = done;
    const { length } = checked.value.ids;
    const message = `replayed ${length} ${length === 1 ? 'event' : 'events'}: ${progress.delivered} delivered`;
    log('INFO', message, { act: 'replay', runId, progress });
    return { body: done };
  };
  return { handle, description };
}

const description = {
  operationId: 'replayNamed',
  summary: 'Deliver the named events now',
  tags: ['replay'],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['ids'],
          properties: {
            ids: {
              type: 'array',
              items: { $ref: '#/components/schemas/EventId' },
              minItems: 1,
              maxItems: most,
            },
            includeSucceeded: { type: 'boolean', default: false },
          },
          additionalProperties: false,
        },
      },
    },
  },
  responses: describeAnswer('What came of each event, in the order asked.', {
    type: 'object',
    required: ['runId', 'progress', 'events'],
    properties: {
      runId: { type: 'string' },
      progress: { $ref: '#/components/schemas/Progress' },
      events: {
        type: 'array',
        items: {
          type: 'object',
          required: ['id', 'result'],
          properties: {
            id: { type: 'string' },
            result: { enum: ['delivered', 'failed', 'skipped'] },
            status: { $ref: '#/components/schemas/Status' },
            reason: { type: 'string' },
          },
          additionalProperties: false,
        },
      },
    },
    additionalProperties: false,
  }),
};
