import * as v from 'valibot';
import { getRun } from '../../../shared/replay/change-run.ts';
import { listRunEvents, outcomes, RunEventSchema, verdicts } from '../../../shared/replay/list-run-events.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { checkInput, checkQuery, RunParam } from '../api/check-input.ts';
import { type Operation, operation } from '../api/operation.ts';
import { pageEntries, pageOf, readStart, toPage } from '../api/page.ts';

const QuerySchema = v.strictObject({
  outcome: v.optional(v.picklist(outcomes, `Use one of ${outcomes.join(', ')}.`)),
  verdict: v.optional(v.picklist(verdicts, `Use one of ${verdicts.join(', ')}.`)),
  ...pageEntries,
});

/** `GET /runs/{id}/events`: a page of the events of a run, in order of capture. */
export function listRunEventsOperation({ db }: Pick<ReplayDeps, 'db'>): Operation {
  return operation(description, async (request) => {
    const { limit, cursor, outcome, verdict } = checkQuery(QuerySchema, request.query);
    const { id: runId } = await getRun(db, checkInput(RunParam, request.params.id, 'id'));
    const start = readStart(cursor, request.now);
    const after = cursor === undefined ? '0' : start.before;
    const rows = await listRunEvents(db, { runId, outcome, verdict, after, limit: limit + 1 });
    return { body: toPage(rows, { limit, now: start.now }) };
  });
}

const description = {
  operationId: 'listRunEvents',
  summary: 'List the events of a replay',
  tag: 'runs',
  params: { id: RunParam },
  query: QuerySchema,
  responses: { 200: { description: 'One page, in order of capture.', schema: pageOf(RunEventSchema) } },
} as const;
