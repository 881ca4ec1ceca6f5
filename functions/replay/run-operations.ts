import * as v from 'valibot';
import { tryRequestWorker } from '../../shared/delivery/worker-requests.ts';
import { SelectionChangedError } from '../../shared/errors.ts';
import { operatorText, requiredText } from '../../shared/events/actions/operator-text.ts';
import { guardProbes } from '../../shared/events/masking/guard-probes.ts';
import { createRun } from '../../shared/replay/create-run.ts';
import { listRunEvents, outcomes, RunEventSchema } from '../../shared/replay/list-run-events.ts';
import { PreviewSchema, previewRun } from '../../shared/replay/preview-run.ts';
import { type Change, changeRun, getRun, listRuns, RunSchema } from '../../shared/replay/run.ts';
import { RunRequestSchema, readRunRequest } from '../../shared/replay/run-request.ts';
import { RunDetailSchema, showRun } from '../../shared/replay/show-run.ts';
import { idOf, oneOf, operation, pageOf, pageQuery, toPage } from './api/operation.ts';

export const listRunsOperation = operation(
  { summary: 'List replays', query: pageQuery, returns: pageOf(RunSchema) },
  async (deps, request) => {
    const { limit, cursor: before } = request.query;
    return { body: toPage(await listRuns(deps, { before, limit: limit + 1 }), limit) };
  },
);

export const showRunOperation = operation(
  { summary: 'Show a replay', params: { id: idOf('a run') }, returns: RunDetailSchema },
  async (deps, { params, now }) => ({ body: await showRun(deps, await getRun(deps.db, params.id), now) }),
);

export const listRunEventsOperation = operation(
  {
    summary: 'List the events of a replay',
    params: { id: idOf('a run') },
    query: { outcome: v.optional(oneOf(outcomes)), ...pageQuery },
    returns: pageOf(RunEventSchema),
  },
  async (deps, request) => {
    const { limit, cursor: after, outcome } = request.query;
    const { id: runId } = await getRun(deps.db, request.params.id);
    const rows = await listRunEvents(deps, { outcome, runId, after, limit: limit + 1 });
    return { body: toPage(rows, limit) };
  },
);

export const createRunOperation = operation(
  {
    summary: 'Replay events, or preview a replay',
    description:
      'The run consists of the events that match now; an event that fails later never joins it. Workers deliver them afterwards: follow the run for the results.',
    headers: {
      'Idempotency-Key': v.optional(
        requiredText(255, 'A request with the same key and body returns the run of the first one.'),
      ),
    },
    body: RunRequestSchema,
    statuses: [200, 201],
    returns: v.union([PreviewSchema, RunDetailSchema]),
  },
  async (deps, { text, headers, caller, now }) => {
    // Node.js joins a repeated header to one text.
    const request = readRunRequest({ raw: text, key: headers['idempotency-key']?.toString(), now });
    await guardProbes(deps, caller, request);
    if (request.dryRun) return { body: await previewRun(deps, request) };
    const { run, isNew } = await createRun(deps, request, caller.name).catch(async (error: unknown) => {
      if (!(error instanceof SelectionChangedError)) throw error;
      throw new SelectionChangedError(request.selection ?? '', await previewRun(deps, request));
    });
    if (isNew && run.waiting > 0) await tryRequestWorker(deps.retry.continueTopic, run.id);
    const shown = await showRun(deps, run, now);
    return { status: isNew ? 201 : 200, headers: { location: `runs/${run.id}` }, body: shown };
  },
);

const ChangeSchema = v.strictObject({
  // Optional: an operator who has to stop something need not explain it first.
  reason: v.optional(operatorText(1000, 'Why; recorded in the audit.'), ''),
});

export const pauseRunOperation = changeRunOperation('pause', 'Pause a replay');
export const resumeRunOperation = changeRunOperation('resume', 'Resume a paused replay');
export const cancelRunOperation = changeRunOperation('cancel', 'Cancel a replay');

/** `POST /runs/{id}/pause`, `/resume` or `/cancel`. */
function changeRunOperation(change: Change, summary: string) {
  return operation(
    {
      summary,
      description:
        'Workers obey from their next claim on. A run that is in the requested state already stays unchanged.',
      params: { id: idOf('a run') },
      body: ChangeSchema,
      returns: RunDetailSchema,
    },
    async (deps, { body: { reason }, params, caller, now }) => {
      const by = { runId: params.id, actor: caller.name, reason: reason || null };
      const run = await changeRun(deps.db, change, by);
      if (change === 'resume') await tryRequestWorker(deps.retry.continueTopic, run.id);
      return { body: await showRun(deps, run, now) };
    },
  );
}
