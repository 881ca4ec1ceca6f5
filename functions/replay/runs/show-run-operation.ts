import { getRun } from '../../../shared/replay/change-run.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { RunDetailSchema, showRun } from '../../../shared/replay/show-run.ts';
import { checkInput, RunParam } from '../api/check-input.ts';
import { type Operation, operation } from '../api/operation.ts';

/** `GET /runs/{id}`: the progress and rate of a run, why it is paused, and how many of its events recurred. */
export function showRunOperation({ db }: Pick<ReplayDeps, 'db'>): Operation {
  return operation(description, async ({ params, now }) => ({
    body: await showRun(db, await getRun(db, checkInput(RunParam, params.id, 'id')), now),
  }));
}

const description = {
  operationId: 'showRun',
  summary: 'Show a replay',
  tag: 'runs',
  params: { id: RunParam },
  responses: { 200: { description: 'The run.', schema: RunDetailSchema } },
} as const;
