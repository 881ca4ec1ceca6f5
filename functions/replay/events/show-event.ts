import { listAudit } from '../../../shared/audit.ts';
import { NotFoundError } from '../../../shared/errors.ts';
import { listEventAttempts, showEvent } from '../../../shared/event-pages.ts';
import { eventIdParameter, readEventId } from '../api/path-id.ts';
import { describeAnswer, describePage, readStart, toPage } from '../api/read-page.ts';
import type { ApiRequest, Operation } from '../api/resource.ts';
import { auditEntrySchema } from '../audit/audit-entry-schema.ts';
import type { ReplayDeps } from '../replay-deps.ts';
import { attemptSchema, eventSchema } from './event-schemas.ts';
import { maskShownEvent } from './mask-shown-event.ts';

const mostBytes = 1_048_576;
const mostRows = 100;

/** `GET /events/{id}`: one event, its latest deliveries, and what people did to it. */
export function showEventOperation({ db, routes }: Pick<ReplayDeps, 'db' | 'routes'>): Operation {
  const handle = async (request: ApiRequest) => {
    const id = readEventId(request);
    const { before, now } = readStart(undefined, request.now);
    const [event] = await showEvent(db, { id, mostBytes });
    if (!event) throw new NotFoundError(`There is no event ${id}.`);
    const page = { before, most: mostRows + 1 };
    const of = { limit: mostRows, now };
    const attempts = toPage(await listEventAttempts(db, { eventId: id, ...page }), of);
    const audit = toPage(await listAudit(db, { eventId: id, runId: null, ...page }), of);
    const [attemptsJson, auditJson] = [JSON.stringify(attempts), JSON.stringify(audit)];
    return {
      json: `{"event":${maskShownEvent(event.json, routes)},"attempts":${attemptsJson},"audit":${auditJson}}`,
    };
  };
  const schemas = { Event: eventSchema, Attempt: attemptSchema, AuditEntry: auditEntrySchema };
  return { handle, description, schemas };
}

const description = {
  operationId: 'showEvent',
  summary: 'Show an event',
  description: `One event, also from the archive, with its latest ${mostRows} deliveries and acts of people. What its route masks is "(hidden)": the console reveals it, to who says why.`,
  tags: ['events'],
  parameters: [eventIdParameter],
  responses: describeAnswer('The event.', {
    type: 'object',
    required: ['event', 'attempts', 'audit'],
    properties: {
      event: { $ref: '#/components/schemas/Event' },
      attempts: describePage('Attempt'),
      audit: describePage('AuditEntry'),
    },
    additionalProperties: false,
  }),
};
