import * as v from 'valibot';
import { KnownValuesSchema, listKnownValues } from '../../../shared/events/known-values.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { checkQuery } from '../api/check-input.ts';
import { operation } from '../api/operation.ts';

const QuerySchema = v.strictObject({});

/** `GET /events/values`: values to suggest while a filter is typed. */
export const listKnownValuesOperation = operation(
  {
    operationId: 'listKnownValues',
    summary: 'List known values',
    description:
      'The types, error classes and consumers of the latest 200 error groups, to suggest conditions.',
    tag: 'events',
    query: QuerySchema,
    responses: { 200: { description: 'The values, each once.', schema: KnownValuesSchema } },
  },
  async ({ db }: Pick<ReplayDeps, 'db'>, { query }) => {
    checkQuery(QuerySchema, query);
    return { body: await listKnownValues(db) };
  },
);
