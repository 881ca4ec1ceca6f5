import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drainWithDeaths } from '../../../bench/engine/kill-workers.ts';
import { useDatabase } from '../../support/database.ts';
import { isItsTurn } from '../../support/taken-in-turn.ts';

describe('workers of which half are killed, and one is stopped for longer than its leases', {
  skip: !isItsTurn('workers'),
}, () => {
  const database = useDatabase();

  it('deliver every event, and none more often than its attempts record', async () => {
    const { events, workers } = { events: 600, workers: 4 };
    const report = await drainWithDeaths(database().url, { events, workers, leaseSeconds: 3 });

    assert.deepEqual([report.succeeded, report.unexplained], [events, 0], JSON.stringify(report));
    assert.equal(report.deliveries[0], undefined);
    assert.ok(report.lost > 0, 'no worker was killed while it held events');
  });
});
