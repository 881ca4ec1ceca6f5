import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { purgeRateLimits } from '../../../shared/delivery/rate-limits.ts';
import { useDatabase } from '../../support/database.ts';

describe('the token bucket of a replay with a rate', () => {
  const database = useDatabase();

  it('is purged after a day without deliveries', async () => {
    await database().sql(`insert into dlq_rates values
      ('run 1', 0, 1, now() - interval '25 hours'), ('run 2', 0, 1, now() - interval '23 hours')`);

    assert.deepEqual(await purgeRateLimits(database().db), { rates: 1 });
    assert.deepEqual(await database().sql('select route from dlq_rates'), [{ route: 'run 2' }]);
  });
});
