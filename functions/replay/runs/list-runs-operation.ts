import * as v from 'valibot';
import { RunSchema } from '../../../shared/replay/describe-run.ts';
import { listRuns } from '../../../shared/replay/list-runs.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { checkQuery } from '../api/check-input.ts';
import { type Operation, operation } from '../api/operation.ts';
import { pageEntries, pageOf, readStart, toPage } from '../api/page.ts';

const QuerySchema = v.strictObject(pageEntries);

/** `GET /runs`: a page of runs, the newest first. */
export function listRunsOperation({ db }: Pick<ReplayDeps, 'db'>): Operation {
  return operation(description, async (request) => {
    const { limit, cursor } = checkQuery(QuerySchema, request.query);
    const { before, now } = readStart(cursor, request.now);
    return { body: toPage(await listRuns(db, { before, limit: limit + 1 }), { limit, now }) };
  });
}

const description = {
  operationId: 'listRuns',
  summary: 'List replays',
  tag: 'runs',
  query: QuerySchema,
  responses: { 200: { description: 'One page, the newest first.', schema: pageOf(RunSchema) } },
} as const;
