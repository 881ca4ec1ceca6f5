import { readRunId, runIdParameter } from '../../api/path-id.ts';
import { describeAnswer } from '../../api/read-page.ts';
import type { ApiRequest, Operation } from '../../api/resource.ts';
import type { ReplayDeps } from '../../replay-deps.ts';
import { getRun } from '../change-run.ts';
import { showRun } from '../show-run.ts';
import { runSchemas } from './run-schemas.ts';

/** `GET /runs/{id}`: how far a run is, how fast, why it is paused, and whether what it delivered came back. */
export function showRunOperation({ db }: Pick<ReplayDeps, 'db'>): Operation {
  const handle = async (request: ApiRequest) => ({
    body: await showRun(db, await getRun(db, readRunId(request)), request.now),
  });
  return { handle, description, schemas: runSchemas };
}

const description = {
  operationId: 'showRun',
  summary: 'Show a replay',
  tags: ['runs'],
  parameters: [runIdParameter],
  responses: describeAnswer('The run.', { $ref: '#/components/schemas/RunDetail' }),
};
