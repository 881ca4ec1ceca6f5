import * as v from 'valibot';
import { listAudit } from '../../../shared/audit.ts';
import { EventIdSchema } from '../../../shared/filter/filter-schema.ts';
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
import { auditEntrySchema } from './audit-entry-schema.ts';

const QuerySchema = v.strictObject({
  ...pageEntries,
  event: v.optional(EventIdSchema),
  run: v.optional(EventIdSchema),
});

/** `GET /audit`: one page of what people did, to anything, to one event or to one run. */
export function listAuditOperation({ db }: Pick<ReplayDeps, 'db'>): Operation {
  const handle = async (request: ApiRequest) => {
    const { limit, cursor, event: eventId = null, run: runId = null } = readQuery(QuerySchema, request.query);
    const { before, now } = readStart(cursor, request.now);
    return { body: toPage(await listAudit(db, { eventId, runId, before, most: limit + 1 }), { limit, now }) };
  };
  return { handle, description, schemas: { AuditEntry: auditEntrySchema } };
}

const id = { type: 'string', pattern: '^[1-9][0-9]{0,18}$' };

const description = {
  operationId: 'listAudit',
  summary: 'List what people did',
  description: 'Every act of a person: who, when, what and why. Nobody can change it.',
  tags: ['audit'],
  parameters: [
    {
      name: 'event',
      in: 'query',
      schema: id,
      description: 'Only what was done to this event, by itself or with others.',
    },
    { name: 'run', in: 'query', schema: id, description: 'Only what was done to this run.' },
    ...pageParameters,
  ],
  responses: describeAnswer('One page, the latest first.', describePage('AuditEntry')),
};
