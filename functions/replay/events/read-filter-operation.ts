import * as v from 'valibot';
import { FilterSchema } from '../../../shared/events/filter/filter-schema.ts';
import { readFilterQuery } from '../../../shared/events/filter/read-filter.ts';
import { described, time } from '../../../shared/response-values.ts';
import { operation } from '../api/operation.ts';

const query = { q: v.pipe(v.string(), v.description('The filter as text: `type:order.* failed:>24h`.')) };

const ReadSchema = v.strictObject({
  filter: described(FilterSchema, 'The same as JSON, for the body of a request; its times are absolute.'),
  now: described(time, 'The time from which its relative times counted back.'),
});

export const readFilterOperation = operation(
  {
    operationId: 'readFilter',
    summary: 'Read a filter that is written as text',
    tag: 'events',
    query,
    responses: { 200: { description: 'The filter.', schema: ReadSchema } },
  },
  async (_: unknown, { query: { q }, now }) => ({ body: { filter: readFilterQuery({ q }, now), now } }),
);
