import * as v from 'valibot';
import { toStorableText } from '../../../shared/database/storable-text.ts';
import { tryRequestWorker } from '../../../shared/delivery/worker-requests.ts';
import { type Change, changeRun } from '../../../shared/replay/change-run.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { RunDetailSchema, showRun } from '../../../shared/replay/show-run.ts';
import { checkInput, RunParam } from '../api/check-input.ts';
import { type Operation, operation } from '../api/operation.ts';

const ChangeSchema = v.strictObject({
  // Optional: an operator who has to stop something need not explain it first.
  reason: v.optional(
    v.pipe(
      v.string('Give it as text.'),
      v.trim(),
      v.maxLength(1000, 'Must have at most 1000 characters.'),
      v.description('Why; recorded in the audit.'),
      v.transform((text) => toStorableText(text)),
    ),
    '',
  ),
});

const summaries: Readonly<Record<Change, string>> = {
  pause: 'Pause a replay',
  resume: 'Resume a paused replay',
  cancel: 'Cancel a replay',
};

/** `POST /runs/{id}/pause`, `/resume` or `/cancel`. */
export function changeRunOperation(deps: ReplayDeps, change: Change): Operation {
  return operation(
    {
      operationId: `${change}Run`,
      summary: summaries[change],
      description:
        'Workers obey from their next batch on. A run that is in the requested state already stays unchanged.',
      tag: 'runs',
      params: { id: RunParam },
      body: ChangeSchema,
      responses: { 200: { description: 'The run.', schema: RunDetailSchema } },
    },
    async ({ body, params, caller, now }) => {
      const { reason } = checkInput(ChangeSchema, body ?? {});
      const runId = checkInput(RunParam, params.id, 'id');
      const run = await changeRun(deps.db, change, { runId, actor: caller.name, reason: reason || null });
      if (change === 'resume') await tryRequestWorker(deps, run.id);
      return { body: await showRun(deps.db, run, now) };
    },
  );
}
