import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { messageFacts } from '../delivery/leased-event.ts';
import { restoreBody, type StoredMessage } from '../message/printed-message.ts';
import {
  described,
  integer,
  integerOrNull,
  object,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../response-values.ts';
import { type EventSummary, selectDetailed, selectListed } from './event-columns.ts';
import type { Filter } from './filter/filter-schema.ts';
import { filteredStatement } from './filter/filtered-statement.ts';
import { findOrder, orders, type Position } from './filter/page-position.ts';

/** A delivery that was tried. */
export const AttemptSchema = v.strictObject({
  id: text,
  runId: textOrNull,
  number: integer,
  outcome: v.picklist(['delivered', 'transient', 'permanent', 'ambiguous', 'lost']),
  target: text,
  startedAt: time,
  durationMs: integer,
  responseStatus: integerOrNull,
  responseBody: textOrNull,
  error: textOrNull,
});

export type AttemptSummary = Readonly<v.InferOutput<typeof AttemptSchema>>;

/** A row of a list. `time`: that by which the list is sorted, in microseconds since 1970; null if by id. */
export type ListedEvent = EventSummary & { readonly time: string | null };

/** The part of a list of events, or of the archive, that is read; `max` null: all of it. */
type Page = Position & Readonly<{ max: number | null; isArchived?: boolean; readsAll?: boolean }>;

/** `readsAll`: all that match are read, and sorted as no index is, in place of the latest events. */
const orderOf = (filter: Filter, { isArchived, readsAll }: Page) => {
  const { sortedBy, ...order } = orders[findOrder(filter)];
  const table = isArchived ? 'dlq_events_archive' : 'dlq_events';
  return { ...order, table, sortedBy: readsAll ? `least(${sortedBy})` : sortedBy };
};

/** A page of the events that a filter matches. `max` null lists all of them, to estimate its cost. */
export const listEvents = filteredStatement<Page, ListedEvent>('list-events', (filter, page) => ({
  columns: selectListed('1000'),
  ...orderOf(filter, page),
}));

/** An event of a list at which a search ends; `time` as in a row of the list. */
export type SearchEnd = { readonly id: string; readonly time: string | null; readonly createdAt: Date };

/** The last of the next `max` events that a filter matches; no row if there are fewer. */
export const findSearchEnd = filteredStatement<Page, SearchEnd>('find-search-end', orderOf);

/** The number of events that a filter matches, at most `max`. */
export const countEvents = filteredStatement<Pick<Page, 'max'>, { readonly events: number }>('count-events');

type ShowParams = { ids: readonly string[]; maxBytes: number; maxTotal: number };
type ShownMessage = StoredMessage & { readonly hasBody: boolean };

const showEventRows = statement<ShowParams, ShownMessage & { readonly json: string | null }>('show-events', {
  bytes: messageFacts.bytes,
  columns: selectDetailed(':maxBytes'),
});

/**
 * Events as JSON text, in the order of their ids, until the texts reach `maxTotal` bytes; null for an unknown
 * id. Payloads, bodies, headers and metadata above `maxBytes` are null, reasons and stack traces cut off
 * there.
 */
export async function showEvents(db: Database, params: ShowParams) {
  const rows = await showEventRows(db, params);
  return rows.map(({ json, ...message }) => ({ json: json && appendBody(json, message) }));
}

/** The deliveries of an event from the newest on, those with an id below `before`. */
export const listEventAttempts = statement<{ eventId: string; before: string; max: number }, AttemptSummary>(
  'list-event-attempts',
);

/** A capture of an event after the first, as `list-captures.sql` writes it. */
export const CaptureSchema = v.strictObject({
  id: text,
  capturedAt: time,
  failure: described(integer, 'Which failure of the event it tells, from 1.'),
  isFirst: described(v.boolean(), 'Whether it told that failure first.'),
  kind: described(
    v.picklist(['report', 'message', 'original']),
    'report: its consumer said so. message: the message came again. original: what the event was captured with, before this time.',
  ),
  consumer: textOrNull,
  deliveryId: described(textOrNull, 'The id of this arrival, by which a repetition is recognized.'),
  attempt: described(integerOrNull, 'The delivery that failed, as `dlo-attempt` numbers them.'),
  publication: described(
    textOrNull,
    'The publication that failed: its time in ms since 1970, @, and its position at the broker; either may be empty.',
  ),
  failedAt: timeOrNull,
  facts: described(
    v.nullable(object),
    'All that it said, by the names of columns of `dlq_events`. Null if the captures before it fill 1 MiB.',
  ),
  bodyBase64: described(textOrNull, 'Its bytes, if they are not those of the event. Null where `facts` is.'),
});

const listCaptureRows = statement<
  { eventId: string; maxBytes: number },
  ShownMessage & { readonly json: string }
>('list-captures');

/** Lists the captures of an event after the first, in order of the failures that they tell, as JSON text. */
export async function listCaptures(db: Database, eventId: string, maxBytes: number): Promise<string[]> {
  const rows = await listCaptureRows(db, { eventId, maxBytes });
  return rows.map(({ json, ...message }) => appendBody(json, message));
}

/** Finds the open event that was captured first. */
export const findOldestOpenEvent = statement<
  Record<string, never>,
  { readonly id: string; readonly eventType: string; readonly createdAt: Date }
>('find-oldest-open-event');

/** The JSON text of an object with the bytes of its message, if any, as its last member, `bodyBase64`. */
function appendBody(json: string, { hasBody, ...message }: ShownMessage): string {
  const body = hasBody ? restoreBody(message).toString('base64') : null;
  return `${json.slice(0, -1)},"bodyBase64":${JSON.stringify(body)}}`;
}
