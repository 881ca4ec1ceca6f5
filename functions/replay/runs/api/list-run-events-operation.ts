import * as v from 'valibot';
import { readRunId, runIdParameter } from '../../api/path-id.ts';
import {
  describeAnswer,
  describePage,
  pageEntries,
  pageParameters,
  readStart,
  toPage,
} from '../../api/read-page.ts';
import { readQuery } from '../../api/read-query.ts';
import type { ApiRequest, Operation } from '../../api/resource.ts';
import type { ReplayDeps } from '../../replay-deps.ts';
import { getRun } from '../change-run.ts';
import { listRunEvents, outcomes, verdicts } from '../list-run-events.ts';
import { runEventSchema } from './run-schemas.ts';

const QuerySchema = v.strictObject({
  ...pageEntries,
  outcome: v.optional(v.picklist(outcomes, `Use one of ${outcomes.join(', ')}.`)),
  verdict: v.optional(v.picklist(verdicts, `Use one of ${verdicts.join(', ')}.`)),
});

/** `GET /runs/{id}/events`: what became of each event of a run, in order of capture. */
export function listRunEventsOperation({ db }: Pick<ReplayDeps, 'db'>): Operation {
  const handle = async (request: ApiRequest) => {
    const { limit, cursor, outcome, verdict } = readQuery(QuerySchema, request.query);
    const { id: runId } = await getRun(db, readRunId(request));
    const start = readStart(cursor, request.now);
    const after = cursor === undefined ? '0' : start.before;
    const rows = await listRunEvents(db, { runId, outcome, verdict, after, limit: limit + 1 });
    return { body: toPage(rows, { limit, now: start.now }) };
  };
  return { handle, description, schemas: { RunEvent: runEventSchema } };
}

const description = {
  operationId: 'listRunEvents',
  summary: 'List the events of a replay',
  tags: ['runs'],
  parameters: [
    runIdParameter,
    { name: 'outcome', in: 'query', schema: { enum: outcomes } },
    { name: 'verdict', in: 'query', schema: { enum: verdicts } },
    ...pageParameters,
  ],
  responses: describeAnswer('One page, in order of capture.', describePage('RunEvent')),
};
