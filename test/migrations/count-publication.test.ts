import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aggregateCounts } from '../../shared/counts/aggregate-counts.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';

describe('a publication of the tables of counts', () => {
  const database = useDatabase();

  it('does not keep counts from being aggregated', async () => {
    await database().sql(
      'create publication everything for table dlq_count_deltas, dlq_counts_current, dlq_counts_hourly',
    );
    await anEvent(database());
    assert.equal(await aggregateCounts(database().db), 1);
    await anEvent(database());
    assert.equal(await aggregateCounts(database().db), 1);
  });
});
