import * as v from 'valibot';
import { listArchivedEvents, listEvents } from '../../../shared/event-pages.ts';
import type { Filter } from '../../../shared/filter/filter-schema.ts';
import { refuseCostly, runWithinCost } from '../../../shared/filter/run-within-cost.ts';
import { firstPosition, parsePosition, printPosition } from '../../../shared/latest-first.ts';
import {
  cursorOf,
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
import { eventSummarySchema } from './event-schemas.ts';
import { readFilterQuery } from './read-filter-query.ts';

const QuerySchema = v.strictObject({
  ...pageEntries,
  cursor: cursorOf((before) => parsePosition(before) !== undefined),
  filter: v.optional(v.string()),
  q: v.optional(v.string()),
  archived: v.optional(v.picklist(['true', 'false'], 'Use true or false.'), 'false'),
});

/** `GET /events`: one page of the events that a filter matches. */
export function listEventsOperation({ db, costLimit }: Pick<ReplayDeps, 'db' | 'costLimit'>): Operation {
  const handle = async (request: ApiRequest) => {
    const { limit, cursor, archived, ...given } = readQuery(QuerySchema, request.query);
    const list = archived === 'true' ? listArchivedEvents : listEvents;
    const { before, now } = readStart(cursor, request.now);
    const position = parsePosition(before) ?? firstPosition;
    const filter = readFilterQuery(given, now);
    // The planner takes what it knows nothing about for rare or frequent at will, and with it how soon a page is full.
    const worst = { ...position, most: null };
    if (isGuessed(filter)) await refuseCostly(db, list, { filter, params: worst, costLimit });
    const params = { ...position, most: limit + 1 };
    const rows = await runWithinCost(db, list, { filter, params, costLimit });
    const { items, next } = toPage(rows, { limit, now, print: printPosition });
    return { body: { items: items.map(({ time: _, ...event }) => event), next } };
  };
  return { handle, description, schemas: { EventSummary: eventSummarySchema } };
}

function isGuessed({ payload, headers, errorText }: Filter): boolean {
  return [payload, headers, errorText].some((each) => each !== undefined);
}

const description = {
  operationId: 'listEvents',
  summary: 'List events',
  description:
    'The events that a filter matches, the latest first: by the time of failure or capture that it asks about, else by capture. Without a filter: all.',
  tags: ['events'],
  parameters: [
    {
      name: 'filter',
      in: 'query',
      description: 'Which events, as JSON.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Filter' } } },
    },
    {
      name: 'q',
      in: 'query',
      description: 'The same in one line of text, instead of `filter`: type:order.* failed:>24h',
      schema: { type: 'string' },
    },
    {
      name: 'archived',
      in: 'query',
      description: 'Those in the archive instead: closed, and older than all others.',
      schema: { type: 'boolean', default: false },
    },
    ...pageParameters,
  ],
  responses: describeAnswer('One page, the latest first.', describePage('EventSummary')),
};
