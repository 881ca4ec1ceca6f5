import * as v from 'valibot';
import { AuditEntrySchema, listAudit } from '../../../shared/events/audit.ts';
import { EventIdSchema } from '../../../shared/events/event-id.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { checkQuery } from '../api/check-input.ts';
import { type Operation, operation } from '../api/operation.ts';
import { pageEntries, pageOf, readStart, toPage } from '../api/page.ts';

const QuerySchema = v.strictObject({
  event: v.optional(
    v.pipe(EventIdSchema, v.description('Lists actions on this event, alone or with others.')),
  ),
  run: v.optional(v.pipe(EventIdSchema, v.description('Lists actions on this run.'))),
  ...pageEntries,
});

/** `GET /audit`: a page of the actions of operators, on anything, one event or one run. */
export function listAuditOperation({ db }: Pick<ReplayDeps, 'db'>): Operation {
  return operation(description, async (request) => {
    const {
      limit,
      cursor,
      event: eventId = null,
      run: runId = null,
    } = checkQuery(QuerySchema, request.query);
    const { before, now } = readStart(cursor, request.now);
    return { body: toPage(await listAudit(db, { eventId, runId, before, max: limit + 1 }), { limit, now }) };
  });
}

const description = {
  operationId: 'listAudit',
  summary: 'List the actions of operators',
  description: 'Every action: who, when, what and why. Entries cannot be changed.',
  tag: 'audit',
  query: QuerySchema,
  responses: { 200: { description: 'One page, the newest first.', schema: pageOf(AuditEntrySchema) } },
} as const;
