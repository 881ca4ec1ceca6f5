import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { archiveWithDeaths } from '../../../bench/maintain-kills/kill-maintain.ts';
import { useDatabase } from '../../support/database.ts';

describe('maintain, killed repeatedly while events are captured and delivered', () => {
  const database = useDatabase();

  it('keeps each captured event in exactly one table, and all counts exact', async () => {
    const report = await archiveWithDeaths(database().url, { kills: 3, events: 5000 });
    const told = JSON.stringify(report);

    assert.equal(report.live + report.archived, report.captured, told);
    const { idsTwice, unexplained, wrongCounts, miscounted } = report;
    assert.deepEqual([idsTwice, unexplained, wrongCounts, miscounted], [0, 0, 0, 0], told);
    assert.ok(report.killsAtWork > 0 && report.archived >= 5000, told);
  });
});
