import * as v from 'valibot';
import { NotFoundError } from '../../../shared/errors.ts';
import { AuditEntrySchema, listAudit } from '../../../shared/events/audit.ts';
import { EventSchema } from '../../../shared/events/event-columns.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { CaptureSchema, listCaptures } from '../../../shared/events/list-captures.ts';
import { AttemptSchema, listEventAttempts, showEvents } from '../../../shared/events/list-events.ts';
import { maskOf, maskShownCapture, maskShownEvent } from '../../../shared/events/masking/mask-shown-event.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { listOf } from '../../../shared/response-values.ts';
import { WhyNotNowSchema, whyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { operation } from '../api/operation.ts';
import { pageOf, pageQuery, readPage, toPage } from '../api/page.ts';
import { EventParam } from '../api/read-request.ts';

const maxBytes = 1_048_576;
const maxRows = 100;

export const showEventOperation = operation(
  {
    operationId: 'showEvent',
    summary: 'Show an event',
    description: `One event, also from the archive, with its later captures and its newest ${maxRows} deliveries and actions. Values that its route masks are "(hidden)"; the console unmasks them for an operator who gives a reason.`,
    tag: 'events',
    params: { id: EventParam },
    responses: {
      200: {
        description: 'The event.',
        schema: v.strictObject({
          event: EventSchema,
          whyNotNow: WhyNotNowSchema,
          captures: listOf(CaptureSchema),
          attempts: pageOf(AttemptSchema),
          audit: pageOf(AuditEntrySchema),
        }),
      },
    },
  },
  async ({ db, routes, masks }: Pick<ReplayDeps, 'db' | 'routes' | 'masks'>, { params: { id }, now }) => {
    const [event] = await showEvents(db, { ids: [id], maxBytes, maxTotal: maxBytes });
    if (!event?.json) throw new NotFoundError(`There is no event ${id}.`);
    const rows = { eventId: id, before: maxBigint, max: maxRows + 1 };
    const page = { limit: maxRows, now };
    const [delivered, actions, captures, why] = await Promise.all([
      listEventAttempts(db, rows),
      listAudit({ db, routes, masks }, { eventId: id }, { before: maxBigint, max: maxRows + 1 }),
      listCaptures(db, id, maxBytes),
      whyNotNow({ db, routes }, { ...JSON.parse(event.json), id }),
    ]);
    const [attempts, audit] = [toPage(delivered, page), toPage(actions, page)];
    const mask = maskOf(event.json, { routes, masks });
    const shown = maskShownEvent(event.json, mask);
    const said = captures.map((json) => maskShownCapture(json, mask));
    return {
      json: `{"event":${shown},"whyNotNow":${JSON.stringify(why)},"captures":[${said}],"attempts":${JSON.stringify(attempts)},"audit":${JSON.stringify(audit)}}`,
    };
  },
);

export const listAttemptsOperation = operation(
  {
    operationId: 'listAttempts',
    summary: 'List the deliveries of an event',
    tag: 'events',
    params: { id: EventParam },
    query: pageQuery,
    responses: { 200: { description: 'One page, the newest first.', schema: pageOf(AttemptSchema) } },
  },
  async ({ db }: Pick<ReplayDeps, 'db'>, request) => {
    const { start: before = maxBigint, page } = readPage(request);
    const rows = await listEventAttempts(db, { eventId: request.params.id, before, max: page.limit + 1 });
    return { body: toPage(rows, page) };
  },
);
