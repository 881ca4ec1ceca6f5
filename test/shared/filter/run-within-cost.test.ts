import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { listEvents } from '../../../shared/event-pages.ts';
import type { Filter } from '../../../shared/filter/filter-schema.ts';
import { runWithinCost } from '../../../shared/filter/run-within-cost.ts';
import { firstPosition } from '../../../shared/latest-first.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';

describe('a question that the planner took for a cheap one', () => {
  const database = useDatabase();

  it('is given up with advice when the database has had enough of it', async () => {
    await manyEvents(database(), 20_000);
    const client = new pg.Client({ connectionString: database().url });
    await client.connect();
    await client.query('set statement_timeout = 1');
    const db = {
      query: async (query: object) => ({ rows: (await client.query(query as pg.QueryConfig)).rows }),
      close: () => client.end(),
    };
    const filter: Filter = { errorText: 'no such error', status: ['PENDING'] };
    const params = { ...firstPosition, most: 1 };

    const detail =
      /took the database too long\. Narrow it down, with failedAfter, such as "24h", or an eventType/;
    const asked = { filter, params, costLimit: 0 };
    await assert.rejects(runWithinCost(db, listEvents, asked), { code: 'TOO_COSTLY', message: detail });
    await db.close();
  });
});
