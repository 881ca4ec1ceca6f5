import * as v from 'valibot';
import { InputError } from '../../../../shared/errors.ts';
import { toStorableText } from '../../../../shared/storable-text.ts';
import { check } from '../../../../shared/validate.ts';
import { readRunId, runIdParameter } from '../../api/path-id.ts';
import { describeAnswer } from '../../api/read-page.ts';
import type { ApiRequest, Operation } from '../../api/resource.ts';
import type { ReplayDeps } from '../../replay-deps.ts';
import { type Change, changeRun } from '../change-run.ts';
import { showRun } from '../show-run.ts';
import { callForWork } from './call-for-work.ts';
import { runSchemas } from './run-schemas.ts';

// Whoever has to stop something need not say why first.
const ChangeSchema = v.strictObject({
  reason: v.optional(
    v.pipe(
      v.string('Give it as text.'),
      v.trim(),
      v.maxLength(1000, 'Must have at most 1000 characters.'),
      v.transform((text) => toStorableText(text)),
    ),
    '',
  ),
});

/** `POST /runs/{id}/pause`, `/resume` or `/cancel`. */
export function changeRunOperation(deps: ReplayDeps, change: Change): Operation {
  const handle = async (request: ApiRequest) => {
    const checked = check(ChangeSchema, request.body ?? {});
    if (!checked.ok) throw new InputError(checked.problems);
    const reason = checked.value.reason || null;
    const run = await changeRun(deps.db, change, {
      runId: readRunId(request),
      actor: request.caller.name,
      reason,
    });
    if (change === 'resume') await callForWork(deps, run.id);
    return { body: await showRun(deps.db, run, request.now) };
  };
  return { handle, description: describe(change), schemas: runSchemas };
}

const summaries: Readonly<Record<Change, string>> = {
  pause: 'Pause a replay',
  resume: 'Let a paused replay go on',
  cancel: 'End a replay for good',
};

function describe(change: Change) {
  return {
    operationId: `${change}Run`,
    summary: summaries[change],
    description: 'Workers obey from their next batch on. Where it is so already nothing is done.',
    tags: ['runs'],
    parameters: [runIdParameter],
    requestBody: {
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { reason: { type: 'string', maxLength: 1000, description: 'The audit keeps it.' } },
            additionalProperties: false,
          },
        },
      },
    },
    responses: describeAnswer('The run.', { $ref: '#/components/schemas/RunDetail' }),
  };
}
