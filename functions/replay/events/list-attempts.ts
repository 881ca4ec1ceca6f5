import * as v from 'valibot';
import { AttemptSchema, listEventAttempts } from '../../../shared/events/list-events.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { checkInput, checkQuery, EventParam } from '../api/check-input.ts';
import { type Operation, operation } from '../api/operation.ts';
import { pageEntries, pageOf, readStart, toPage } from '../api/page.ts';

const QuerySchema = v.strictObject(pageEntries);

/** `GET /events/{id}/attempts`: a page of the deliveries of an event. */
export function listAttemptsOperation({ db }: Pick<ReplayDeps, 'db'>): Operation {
  return operation(description, async (request) => {
    const { limit, cursor } = checkQuery(QuerySchema, request.query);
    const { before, now } = readStart(cursor, request.now);
    const eventId = checkInput(EventParam, request.params.id, 'id');
    return { body: toPage(await listEventAttempts(db, { eventId, before, max: limit + 1 }), { limit, now }) };
  });
}

const description = {
  operationId: 'listAttempts',
  summary: 'List the deliveries of an event',
  tag: 'events',
  params: { id: EventParam },
  query: QuerySchema,
  responses: { 200: { description: 'One page, the newest first.', schema: pageOf(AttemptSchema) } },
} as const;
