import { KnownValuesSchema, listKnownValues } from '../../../shared/events/known-values.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { operation } from '../api/operation.ts';

/** `GET /events/values`: values to suggest while a filter is typed. */
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
