import * as v from 'valibot';
import { listEventAttempts } from '../../../shared/event-pages.ts';
import { eventIdParameter, readEventId } from '../api/path-id.ts';
import {
  describeAnswer,
  describePage,
  pageEntries,
  pageParameters,
  readStart,
  toPage,
} from '../api/read-page.ts';
import { readQuery } from '../api/read-query.ts';
import type { ApiRequest, Operation } from '../api/resource.ts';
import type { ReplayDeps } from '../replay-deps.ts';
import { attemptSchema } from './event-schemas.ts';

const QuerySchema = v.strictObject(pageEntries);

/** `GET /events/{id}/attempts`: one page of its deliveries. */
export function listAttemptsOperation({ db }: Pick<ReplayDeps, 'db'>): Operation {
  const handle = async (request: ApiRequest) => {
    const { limit, cursor } = readQuery(QuerySchema, request.query);
    const { before, now } = readStart(cursor, request.now);
    const rows = await listEventAttempts(db, { eventId: readEventId(request), before, most: limit + 1 });
    return { body: toPage(rows, { limit, now }) };
  };
  return { handle, description, schemas: { Attempt: attemptSchema } };
}

const description = {
  operationId: 'listAttempts',
  summary: 'List the deliveries of an event',
  tags: ['events'],
  parameters: [eventIdParameter, ...pageParameters],
  responses: describeAnswer('One page, the latest first.', describePage('Attempt')),
};
