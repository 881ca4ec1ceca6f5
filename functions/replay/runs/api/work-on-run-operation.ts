import * as v from 'valibot';
import { InputError } from '../../../../shared/errors.ts';
import { check } from '../../../../shared/validate.ts';
import { readRunId, runIdParameter } from '../../api/path-id.ts';
import { describeAnswer } from '../../api/read-page.ts';
import type { ApiRequest, Operation } from '../../api/resource.ts';
import type { ReplayDeps } from '../../replay-deps.ts';
import { getRun } from '../change-run.ts';
import { showRun } from '../show-run.ts';
import { workOnReplay } from '../work-on-replay.ts';
import { runSchemas } from './run-schemas.ts';

const remedy = 'Use a whole number from 1 to 3600.';

// A function has a minute where nothing else is said.
const WorkSchema = v.strictObject({
  seconds: v.optional(
    v.pipe(v.number(remedy), v.integer(remedy), v.minValue(1, remedy), v.maxValue(3600, remedy)),
    45,
  ),
});

/** `POST /runs/{id}/work`: one more worker for a run, for so long. */
export function workOnRunOperation(deps: ReplayDeps): Operation {
  const handle = async (request: ApiRequest) => {
    const checked = check(WorkSchema, request.body ?? {});
    if (!checked.ok) throw new InputError(checked.problems);
    const { id } = await getRun(deps.db, readRunId(request));
    const stopped = await workOnReplay(deps, id, request.now.getTime() + checked.value.seconds * 1000);
    return { body: { stopped, run: await showRun(deps.db, await getRun(deps.db, id), new Date()) } };
  };
  return { handle, description, schemas: runSchemas };
}

const description = {
  operationId: 'workOnRun',
  summary: 'Work on a replay for a while',
  description:
    'Answers when nothing of it waits any more, when it is paused or has ended, or when the time is over.',
  tags: ['runs'],
  parameters: [runIdParameter],
  requestBody: {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { seconds: { type: 'integer', minimum: 1, maximum: 3600, default: 45 } },
          additionalProperties: false,
        },
      },
    },
  },
  responses: describeAnswer('Why it stopped, and the run as it is now.', {
    type: 'object',
    required: ['stopped', 'run'],
    properties: {
      stopped: { enum: ['ended', 'paused', 'time budget spent'] },
      run: { $ref: '#/components/schemas/RunDetail' },
    },
    additionalProperties: false,
  }),
};
