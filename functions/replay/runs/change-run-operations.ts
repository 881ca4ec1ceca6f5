import * as v from 'valibot';
import { wholeNumber } from '../../../shared/config/whole-number.ts';
import { tryRequestWorker } from '../../../shared/delivery/worker-requests.ts';
import { operatorText } from '../../../shared/events/actions/operator-text.ts';
import { type Change, changeRun, getRun } from '../../../shared/replay/change-run.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { RunDetailSchema, showRun } from '../../../shared/replay/show-run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { operation } from '../api/operation.ts';
import { RunParam } from '../api/read-request.ts';

const ChangeSchema = v.strictObject({
  // Optional: an operator who has to stop something need not explain it first.
  reason: v.optional(v.pipe(operatorText(1000), v.description('Why; recorded in the audit.')), ''),
});

export const pauseRunOperation = changeRunOperation('pause', 'Pause a replay');
export const resumeRunOperation = changeRunOperation('resume', 'Resume a paused replay');
export const cancelRunOperation = changeRunOperation('cancel', 'Cancel a replay');

/** `POST /runs/{id}/pause`, `/resume` or `/cancel`. */
function changeRunOperation(change: Change, summary: string) {
  return operation(
    {
      operationId: `${change}Run`,
      summary,
      description:
        'Workers obey from their next claim on. A run that is in the requested state already stays unchanged.',
      tag: 'runs',
      params: { id: RunParam },
      body: ChangeSchema,
      responses: { 200: { description: 'The run.', schema: RunDetailSchema } },
    },
    async (deps: ReplayDeps, { body: { reason }, params, caller, now }) => {
      const run = await changeRun(deps.db, change, {
        runId: params.id,
        actor: caller.name,
        reason: reason || null,
      });
      if (change === 'resume') await tryRequestWorker(deps, run.id);
      return { body: await showRun(deps, run, now) };
    },
  );
}

const WorkSchema = v.strictObject({
  seconds: v.optional(
    v.pipe(wholeNumber(1, 3600), v.description('How long to work, in seconds.')),
    // Below the default timeout of a function, one minute.
    45,
  ),
});

export const workOnRunOperation = operation(
  {
    operationId: 'workOnRun',
    summary: 'Work on a replay',
    description:
      'Delivers events of the run until none of them waits, it is paused or ended, it waits for its target, or the time is up.',
    tag: 'runs',
    params: { id: RunParam },
    body: WorkSchema,
    responses: {
      200: {
        description: 'Why the worker stopped, and the run as it is now.',
        schema: v.strictObject({
          stopped: v.picklist([
            'ended',
            'paused',
            'not yet',
            'target down',
            'no route',
            'time budget spent',
            'shutdown',
            'slot lost',
            'no such run',
          ]),
          run: RunDetailSchema,
        }),
      },
    },
  },
  async (deps: ReplayDeps, { body: { seconds }, params, now }) => {
    const { id } = await getRun(deps.db, params.id);
    const stopped = await workOnReplay(deps, id, { endsAt: now.getTime() + seconds * 1000 });
    return { body: { stopped, run: await showRun(deps, await getRun(deps.db, id), new Date()) } };
  },
);
