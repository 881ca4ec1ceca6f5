import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import type { Query } from '../../../../shared/database/database.ts';
import type { Filter } from '../../../../shared/events/filter/filter-schema.ts';
import { firstPosition } from '../../../../shared/events/filter/page-position.ts';
import { runWithinCost } from '../../../../shared/events/filter/run-within-cost.ts';
import { listEvents } from '../../../../shared/events/list-events.ts';
import { useDatabase } from '../../../support/database.ts';
import { manyEvents } from '../../../support/factories.ts';

describe('a query whose cost the planner underestimated', () => {
  const database = useDatabase();

  it('is rejected with advice when the statement timeout ends it', async () => {
    await manyEvents(database(), 8000);
    const client = new pg.Client({ connectionString: database().url });
    await client.connect();
    await client.query('set statement_timeout = 1');
    const db = {
      query: (query: Query) => client.query<never>(query as pg.QueryConfig),
      close: () => client.end(),
    };
    const filter: Filter = { errorText: ['no such error'], status: ['PENDING'] };
    const params = { ...firstPosition, max: 1 };

    const detail =
      /exceeded the statement timeout\. Narrow the filter with a later failedAfter, such as "24h", or a status/;
    const query = { filter, params, costLimit: 0 };
    await assert.rejects(runWithinCost(db, listEvents, query), { code: 'TOO_COSTLY', message: detail });
    await db.close();
  });
});
