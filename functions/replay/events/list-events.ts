import * as v from 'valibot';
import { EventSummarySchema } from '../../../shared/events/event-columns.ts';
import { hasCost } from '../../../shared/events/filter/filter-fields.ts';
import { firstPosition, parsePosition, printPosition } from '../../../shared/events/filter/page-position.ts';
import { readFilterQuery } from '../../../shared/events/filter/read-filter.ts';
import { rejectCostly, runWithinCost } from '../../../shared/events/filter/run-within-cost.ts';
import { KnownValuesSchema, listKnownValues } from '../../../shared/events/known-values.ts';
import { listEvents } from '../../../shared/events/list-events.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { listWhyNotNow, WhyNotNowSchema } from '../../../shared/schedule/why-not-now.ts';
import { operation } from '../api/operation.ts';
import { cursorOf, pageOf, pageQuery, readPage, toPage } from '../api/page.ts';
import { filterEntries } from './filter-query.ts';

const query = {
  ...filterEntries,
  ...pageQuery,
  cursor: cursorOf((before) => parsePosition(before) !== undefined),
};

const ListedEventSchema = v.strictObject({ ...EventSummarySchema.entries, whyNotNow: WhyNotNowSchema });

export const listEventsOperation = operation(
  {
    operationId: 'listEvents',
    summary: 'List events',
    description:
      'The events that a filter matches, the newest first: by the time of failure or capture that it names, else by capture.',
    tag: 'events',
    query,
    responses: { 200: { description: 'One page, the newest first.', schema: pageOf(ListedEventSchema) } },
  },
  async (deps: Pick<ReplayDeps, 'db' | 'routes' | 'masks' | 'costLimit'>, request) => {
    const { db, costLimit } = deps;
    const { terms, start, page } = readPage(request);
    const { archived, ...filterTerms } = terms;
    const isArchived = archived === 'true';
    const position = { ...(parsePosition(start ?? '') ?? firstPosition), isArchived };
    const filter = readFilterQuery(filterTerms, page.now);
    await guardProbes(deps, request.caller, { filter });
    // The planner guesses how many events match such a condition, and so how soon a page is full: judge the
    // whole list.
    const isGuessed = hasCost(filter, 'scan', 'payload');
    const wholeList = { ...position, max: null };
    if (isGuessed) await rejectCostly(db, listEvents, { filter, params: wholeList, costLimit });
    const params = { ...position, max: page.limit + 1 };
    const rows = await runWithinCost(db, listEvents, { filter, params, costLimit });
    const { items, next } = toPage(rows, { ...page, print: printPosition });
    const why = isArchived ? undefined : await listWhyNotNow(deps, items);
    const listed = items.map(({ time: _, ...event }) => ({
      ...event,
      whyNotNow: why?.get(event.id) ?? null,
    }));
    return { body: { items: listed, next } };
  },
);

export const listKnownValuesOperation = operation(
  {
    operationId: 'listKnownValues',
    summary: 'List known values',
    description:
      'The types, error classes and consumers of the latest 200 error groups, to suggest conditions.',
    tag: 'events',
    responses: { 200: { description: 'The values, each once.', schema: KnownValuesSchema } },
  },
  async ({ db }: Pick<ReplayDeps, 'db'>) => ({ body: await listKnownValues(db) }),
);
