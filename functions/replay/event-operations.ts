import * as v from 'valibot';
import { findRoute } from '../../shared/delivery/routes.ts';
import { planHeaders, restoreHeaders } from '../../shared/delivery/targets/http-headers.ts';
import { ConflictError, ForbiddenError, NotFoundError } from '../../shared/errors.ts';
import { AuditEntrySchema, listAudit } from '../../shared/events/audit.ts';
import { countFromDepths } from '../../shared/events/count-from-depths.ts';
import { EventSchema, EventSummarySchema } from '../../shared/events/event-columns.ts';
import { maxBigint } from '../../shared/events/event-id.ts';
import { ExportFormatSchema, exportEvents, exportTypes } from '../../shared/events/export-events.ts';
import { isGuessed } from '../../shared/events/filter/filter-fields.ts';
import { FilterSchema } from '../../shared/events/filter/filter-schema.ts';
import { firstPosition, parsePosition, printPosition } from '../../shared/events/filter/page-position.ts';
import { readFilterText } from '../../shared/events/filter/read-filter.ts';
import { rejectCostly, runWithinCost } from '../../shared/events/filter/run-within-cost.ts';
import {
  AttemptSchema,
  CaptureSchema,
  listCaptures,
  listEventAttempts,
  listEvents,
  showEvents,
} from '../../shared/events/list-events.ts';
import { guardProbes } from '../../shared/events/masking/guard-probes.ts';
import { findMask } from '../../shared/events/masking/mask-rules.ts';
import { maskOf, maskShownCapture, maskShownEvent } from '../../shared/events/masking/mask-shown-event.ts';
import { maxHeaderBytes, readEvent } from '../../shared/events/read-event.ts';
import { described, listOf, text, time } from '../../shared/response-values.ts';
import { listWhyNotNow, WhyNotNowSchema, whyNotNow } from '../../shared/schedule/why-not-now.ts';
import { cursorOf, idOf, oneOf, operation, pageOf, pageQuery, toPage } from './api/operation.ts';

/** The query parameters that select events. */
const filterEntries = {
  q: v.optional(
    described(
      v.string(),
      'A filter as text: `type:order.* failed:>24h`. Without it the list has all events.',
    ),
    '',
  ),
  archived: v.optional(
    described(
      oneOf(['true', 'false']),
      'Lists the archive instead: closed events that are older than all others.',
    ),
    'false',
  ),
};

const listQuery = {
  ...filterEntries,
  ...pageQuery,
  cursor: cursorOf((text) => parsePosition(text) !== undefined),
};

/** An event in a list. */
export const EventItem = v.strictObject({ ...EventSummarySchema.entries, whyNotNow: WhyNotNowSchema });

export const listEventsOperation = operation(
  {
    summary: 'List events',
    description:
      'The events that a filter matches, the newest first: by the time of failure or capture that it names, else by capture.',
    query: listQuery,
    returns: pageOf(EventItem),
  },
  async (deps, request) => {
    const { db, costLimit } = deps;
    const { archived, q, limit, cursor = '' } = request.query;
    const isArchived = archived === 'true';
    const params = { ...(parsePosition(cursor) ?? firstPosition), isArchived, max: limit + 1 };
    const filter = readFilterText(q, request.now);
    await guardProbes(deps, request.caller, { filter });
    // The planner guesses how many events match, and so how soon a page is full: judge the whole list.
    const wholeList = { ...params, max: null };
    if (isGuessed(filter)) await rejectCostly(db, listEvents, { filter, params: wholeList, costLimit });
    const isNone = !isArchived && (await countFromDepths(db, filter)) === 0;
    const rows = isNone ? [] : await runWithinCost(db, listEvents, { filter, params, costLimit });
    const { items, next } = toPage(rows, limit, printPosition);
    const why = isArchived ? undefined : await listWhyNotNow(deps, items);
    const whyOf = (id: string) => why?.get(id) ?? null;
    const listed = items.map(({ time: _, ...event }) => ({ ...event, whyNotNow: whyOf(event.id) }));
    return { body: { items: listed, next } };
  },
);

export const readFilterOperation = operation(
  {
    summary: 'Read a filter that is written as text',
    description: 'Returns it as JSON, for the body of a request; its times are absolute.',
    query: { q: described(v.string(), 'The filter as text: `type:order.* failed:>24h`.') },
    returns: v.strictObject({
      filter: FilterSchema,
      now: described(time, 'The time from which its relative times counted back.'),
    }),
  },
  async (_, { query: { q }, now }) => ({ body: { filter: readFilterText(q, now), now } }),
);

const exportQuery = {
  ...filterEntries,
  format: v.optional(
    described(ExportFormatSchema, 'Full events as lines of JSON, or the fields of the list as CSV.'),
    'ndjson',
  ),
};

export const exportEventsOperation = operation(
  {
    summary: 'Export events',
    description:
      'All events that a filter matches, the newest first. NDJSON has one event per line, as `GET /events/{id}` shows it, with masked values as "(hidden)"; CSV has the fields of the list, and an apostrophe before a text that a spreadsheet would run as a formula. An incomplete response has no last chunk.',
    query: exportQuery,
    returns: v.string(),
    types: Object.values(exportTypes),
  },
  async (deps, request) => {
    const { format, archived, q } = request.query;
    const filter = readFilterText(q, request.now);
    await guardProbes(deps, request.caller, { filter });
    const isArchived = archived === 'true';
    const lines = exportEvents(deps, { filter, isArchived, format });
    return { lines, headers: { 'content-type': `${exportTypes[format]}; charset=utf-8` } };
  },
);

const maxBytes = 1_048_576;
const maxRows = 100;

export const showEventOperation = operation(
  {
    summary: 'Show an event',
    description: `One event, also from the archive, with its later captures and its newest ${maxRows} deliveries and actions. Values that its route masks are "(hidden)"; the console unmasks them for an operator who gives a reason.`,
    params: { id: idOf('an event') },
    returns: v.strictObject({
      event: EventSchema,
      whyNotNow: WhyNotNowSchema,
      captures: listOf(CaptureSchema),
      attempts: pageOf(AttemptSchema),
      audit: pageOf(AuditEntrySchema),
    }),
  },
  async (deps, { params: { id } }) => {
    const { db, routes, masks } = deps;
    const [event] = await showEvents(db, { ids: [id], maxBytes, maxTotal: maxBytes });
    if (!event?.json) throw new NotFoundError(`There is no event ${id}.`);
    const rows = { eventId: id, before: maxBigint, max: maxRows + 1 };
    const [delivered, actions, captures, why] = await Promise.all([
      listEventAttempts(db, rows),
      listAudit({ db, routes, masks }, { eventId: id }, { before: maxBigint, max: maxRows + 1 }),
      listCaptures(db, id, maxBytes),
      whyNotNow(deps, { ...JSON.parse(event.json), id }),
    ]);
    const [attempts, audit] = [toPage(delivered, maxRows), toPage(actions, maxRows)];
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
    summary: 'List the deliveries of an event',
    params: { id: idOf('an event') },
    query: pageQuery,
    returns: pageOf(AttemptSchema),
  },
  async ({ db }, { params: { id: eventId }, query: { limit, cursor: before = maxBigint } }) => {
    const rows = await listEventAttempts(db, { eventId, before, max: limit + 1 });
    return { body: toPage(rows, limit) };
  },
);

/** As large as a message of a webhook or a topic gets. */
const maxCopiedBytes = 16 * 2 ** 20;

export const showMessageOperation = operation(
  {
    summary: 'Show the message of an event',
    description: 'A copy of the request that an HTTP target gets, to try it elsewhere. Changes nothing.',
    params: { id: idOf('an event') },
    returns: v.strictObject({
      id: text,
      headers: described(
        listOf(v.strictObject({ name: text, value: described(text, 'One character for each byte.') })),
        'As an HTTP target gets them, without those of a redelivery: `dlo-event-id` and `dlo-attempt`.',
      ),
      bodyBase64: described(text, 'The exact bytes.'),
    }),
  },
  async (deps, { params: { id } }) => {
    const event = await readEvent(deps.db, id, { max: maxCopiedBytes });
    if (findMask(deps, event).length > 0)
      throw new ForbiddenError(`Event ${id} has masked fields. Unmask it in the console.`);
    if (event.body.length < event.bytes || event.headerBytes > maxHeaderBytes)
      throw new ConflictError(`The message of event ${id} is too large to copy. Download it in the console.`);
    const target = findRoute(deps.routes, event)?.target;
    const allowed = target && 'allowHeaders' in target ? target.allowHeaders : [];
    const message = { ...event, sourceKeyBytes: null };
    const restored = restoreHeaders(message, planHeaders(message, allowed));
    const headers = restored.map(([name, value]) => ({ name, value }));
    return { body: { id, headers, bodyBase64: event.body.toString('base64') } };
  },
);
