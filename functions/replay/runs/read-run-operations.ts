import * as v from 'valibot';
import { getRun } from '../../../shared/replay/change-run.ts';
import { listRunEvents, outcomes, RunEventSchema, verdicts } from '../../../shared/replay/list-run-events.ts';
import { listRuns, RunSchema } from '../../../shared/replay/list-runs.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { RunDetailSchema, showRun } from '../../../shared/replay/show-run.ts';
import { operation } from '../api/operation.ts';
import { pageOf, pageQuery, readPage, toPage } from '../api/page.ts';
import { RunParam } from '../api/read-request.ts';

export const listRunsOperation = operation(
  {
    operationId: 'listRuns',
    summary: 'List replays',
    tag: 'runs',
    query: pageQuery,
    responses: { 200: { description: 'One page, the newest first.', schema: pageOf(RunSchema) } },
  },
  async (deps: Pick<ReplayDeps, 'db' | 'routes' | 'masks'>, request) => {
    const { start, page } = readPage(request);
    return { body: toPage(await listRuns(deps, { before: start, limit: page.limit + 1 }), page) };
  },
);

export const showRunOperation = operation(
  {
    operationId: 'showRun',
    summary: 'Show a replay',
    tag: 'runs',
    params: { id: RunParam },
    responses: { 200: { description: 'The run.', schema: RunDetailSchema } },
  },
  async (deps: Pick<ReplayDeps, 'db' | 'routes' | 'masks'>, { params, now }) => ({
    body: await showRun(deps, await getRun(deps.db, params.id), now),
  }),
);

const runEventsQuery = {
  outcome: v.optional(v.picklist(outcomes, `Use one of ${outcomes.join(', ')}.`)),
  verdict: v.optional(v.picklist(verdicts, `Use one of ${verdicts.join(', ')}.`)),
  ...pageQuery,
};

export const listRunEventsOperation = operation(
  {
    operationId: 'listRunEvents',
    summary: 'List the events of a replay',
    tag: 'runs',
    params: { id: RunParam },
    query: runEventsQuery,
    responses: { 200: { description: 'One page, in order of capture.', schema: pageOf(RunEventSchema) } },
  },
  async (deps: Pick<ReplayDeps, 'db' | 'routes' | 'masks'>, request) => {
    const { terms, start, page } = readPage(request);
    const { id: runId } = await getRun(deps.db, request.params.id);
    const rows = await listRunEvents(deps, { ...terms, runId, after: start, limit: page.limit + 1 });
    return { body: toPage(rows, page) };
  },
);
