import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aggregateCounts } from '../../../shared/counts/aggregate-counts.ts';
import type { Database } from '../../../shared/database/database.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('the counts', () => {
  const database = useDatabase();

  it('are aggregated up to 20,000 deltas at once: each batch updates the same sums', async () => {
    await anEvent(database());
    await database().sql(
      'insert into dlq_count_deltas select delta.* from dlq_count_deltas as delta, generate_series(1, 14999)',
    );
    let statements = 0;
    const { db } = database();
    const query: Database['query'] = (each) => {
      statements += 1;
      return db.query(each);
    };
    assert.deepEqual([await aggregateCounts({ ...db, query }), statements], [15_000, 1]);
  });
});
