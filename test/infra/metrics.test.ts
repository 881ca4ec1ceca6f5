import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { metrics } from '../../infra/metrics.ts';
import { listMetrics } from '../../shared/metrics/list-metrics.ts';
import { measure } from '../../shared/metrics/measure.ts';
import { useDatabase } from '../support/database.ts';

describe('the metrics that alerts read', () => {
  const database = useDatabase();

  it('are all reported by maintain after the first tick', async () => {
    await database().sql(
      `insert into dlq_runs (trigger, started_at, ended_at, stopped) values ('schedule', now(), now(), 'nothing due')`,
    );
    const measured = await measure(database().db, []);
    const reported = Object.keys(listMetrics(measured));
    assert.deepEqual(
      metrics.map(({ field }) => field).filter((field) => !reported.includes(field)),
      [],
    );
  });
});
