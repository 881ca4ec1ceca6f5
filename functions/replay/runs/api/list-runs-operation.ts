import * as v from 'valibot';
import { describePage, pageEntries, pageParameters, readStart, toPage } from '../../api/read-page.ts';
import { readQuery } from '../../api/read-query.ts';
import type { ApiRequest, Operation } from '../../api/resource.ts';
import type { ReplayDeps } from '../../replay-deps.ts';
import { listRuns } from '../list-runs.ts';
import { runSchemas } from './run-schemas.ts';

const QuerySchema = v.strictObject(pageEntries);

/** `GET /runs`: one page of runs, the latest first. */
export function listRunsOperation({ db }: Pick<ReplayDeps, 'db'>): Operation {
  const handle = async (request: ApiRequest) => {
    const { limit, cursor } = readQuery(QuerySchema, request.query);
    const { before, now } = readStart(cursor, request.now);
    return { body: toPage(await listRuns(db, { before, limit: limit + 1 }), { limit, now }) };
  };
  return { handle, description, schemas: runSchemas };
}

const description = {
  operationId: 'listRuns',
  summary: 'List replays',
  tags: ['runs'],
  parameters: pageParameters,
  responses: {
    200: {
      description: 'One page, the latest first.',
      content: { 'application/json': { schema: describePage('Run') } },
    },
  },
};
