import * as v from 'valibot';
import { tryRequestWorker } from '../../../shared/delivery/worker-requests.ts';
import { SelectionChangedError } from '../../../shared/errors.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import { createRun } from '../../../shared/replay/create-run.ts';
import { PreviewSchema, previewRun } from '../../../shared/replay/preview-run.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { RunRequestSchema, readRunRequest } from '../../../shared/replay/run-request.ts';
import { RunDetailSchema, showRun } from '../../../shared/replay/show-run.ts';
import { operation } from '../api/operation.ts';

export const createRunOperation = operation(
  {
    operationId: 'createRun',
    summary: 'Replay events, or preview a replay',
    description:
      'The run consists of the events that match now; an event that fails later never joins it. Workers deliver them afterwards: follow the run for the results.',
    tag: 'runs',
    headers: {
      'Idempotency-Key': v.optional(
        v.pipe(
          v.string(),
          v.minLength(1),
          v.maxLength(255),
          v.description('A request with the same key and body returns the run of the first one.'),
        ),
      ),
    },
    body: RunRequestSchema,
    responses: {
      200: {
        description: 'The preview of a dry run, or the run that was created with this key before.',
        schema: v.union([PreviewSchema, RunDetailSchema]),
      },
      201: { description: 'The new run.', schema: RunDetailSchema },
    },
  },
  async (deps: ReplayDeps, { text, headers, caller, now }) => {
    const key = headers['idempotency-key'];
    const request = readRunRequest({ raw: text, key: Array.isArray(key) ? key[0] : key, now });
    await guardProbes(deps, caller, request);
    if (request.dryRun) return { body: await previewRun(deps, request) };
    const { run, isNew } = await createRun(deps, request, caller.name).catch(async (error: unknown) => {
      if (!(error instanceof SelectionChangedError)) throw error;
      throw new SelectionChangedError(request.selection ?? '', await previewRun(deps, request));
    });
    if (isNew && run.waiting > 0) await tryRequestWorker(deps, run.id);
    const shown = await showRun(deps, run, now);
    return { status: isNew ? 201 : 200, headers: { location: `runs/${run.id}` }, body: shown };
  },
);
