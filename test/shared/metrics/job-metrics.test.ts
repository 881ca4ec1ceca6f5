import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { completeJob } from '../../../shared/jobs/job-state.ts';
import { formatMetrics, listMetrics } from '../../../shared/metrics/format-metrics.ts';
import { measure } from '../../../shared/metrics/measure.ts';
import { useDatabase } from '../../support/database.ts';
import { readMetrics } from '../../support/read-metrics.ts';

describe('the metrics of jobs', () => {
  const database = useDatabase();
  const sql = (text: string) => database().sql(text);
  const metrics = async () => listMetrics(await measure(database().db, []));
  const scrape = async () => readMetrics(formatMetrics(await measure(database().db, [])));

  it('have the age of the last complete run of each job, and count those that are late', async () => {
    await metrics();
    await completeJob(database().db, { name: 'digest' });
    await sql(
      `update dlq_jobs set completed_at = now() - interval '3 days' where name in ('archive', 'digest')`,
    );
    const scraped = await scrape();
    const days = (job: string) =>
      Math.round((scraped.get(`dead_letter_job_age_seconds{job="${job}"}`) ?? -1) / 86_400);

    assert.deepEqual(['archive', 'digest', 'purge'].map(days), [3, 3, 0]);
    assert.equal((await metrics()).late_jobs, 1, 'the archive is daily, the digest weekly');
    await sql(`update dlq_jobs set known_since = now() - interval '3 days' where name = 'purge'`);
    assert.equal((await metrics()).late_jobs, 2, 'a job that was never complete is late, too');
  });
});
