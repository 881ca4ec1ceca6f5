import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forgetRates } from '../../../functions/maintain/forget-rates.ts';
import { useDatabase } from '../../support/database.ts';

describe('the bucket of a replay with a rate', () => {
  const database = useDatabase();

  it('is forgotten when nothing was taken from it for a day', async () => {
    await database().sql(`insert into dlq_rates values
      ('run 1', 0, 1, now() - interval '25 hours'), ('run 2', 0, 1, now() - interval '23 hours')`);

    assert.deepEqual(await forgetRates(database().db), { rates: 1 });
    assert.deepEqual(await database().sql('select route from dlq_rates'), [{ route: 'run 2' }]);
  });
});
