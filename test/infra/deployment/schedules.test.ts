import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findLongestInterval } from '../../../infra/cron.ts';
import { jobNames, jobs } from '../../../shared/jobs/jobs.ts';
import { all, at, deployed, find } from '../../support/deployment-program.ts';
import { unknown } from '../../support/pulumi-program.ts';

const deployment = await deployed('full');
const job = (name: string, ran = deployment) => find(ran, 'cloudscheduler/job:Job', name).inputs;

describe('the schedule', () => {
  it('starts ticks by the settings schedule and timeZone', () => {
    const { schedule, timeZone, paused } = job('dlo-retry-job');
    assert.deepEqual(
      { schedule, timeZone, paused },
      { schedule: '30 * * * *', timeZone: 'Europe/Berlin', paused: false },
    );
  });

  it('is paused by a setting, not by hand', async () => {
    const paused = await deployed('guest');
    assert.deepEqual(
      all(paused, 'cloudscheduler/job:Job').map(({ inputs }) => [inputs.name, inputs.paused]),
      [...jobNames, 'retry'].toSorted().map((name) => [`dlo-${name}`, name === 'retry']),
    );
  });

  it('calls each job of maintain by its cron, whose longest interval the job names', () => {
    for (const name of jobNames) {
      const { schedule, description } = job(`dlo-${name}-job`);
      assert.deepEqual([schedule, description], [jobs[name].cron, jobs[name].description]);
      assert.equal(findLongestInterval(jobs[name].cron), jobs[name].intervalSeconds, name);
    }
  });

  it('waits for a tick as long as Cloud Scheduler allows, and retries a failed start', () => {
    assert.equal(job('dlo-retry-job').attemptDeadline, '1800s');
    assert.equal(at(job('dlo-retry-job'), 'retryConfig', 'retryCount'), 3);
    assert.equal(job('dlo-metrics-job').attemptDeadline, '300s');
  });

  it('calls with a dedicated account and a token for the service, without the path', () => {
    const audience = 'https://dlo-maintain-abc123-ew.a.run.app';
    assert.deepEqual(job('dlo-metrics-job').httpTarget, {
      httpMethod: 'POST',
      uri: `${audience}/metrics`,
      oidcToken: { audience, serviceAccountEmail: 'dlo-maintain-schedule@acme-prod.iam.gserviceaccount.com' },
    });
  });

  it('is created after its permission to call', () => {
    const { waitsFor } = find(deployment, 'cloudscheduler/job:Job', 'dlo-retry-job');
    assert.ok(waitsFor.includes('dlo-retry-schedule-calls'));
  });

  it('can be previewed before the URL of its function is known', async () => {
    const preview = await deployed('prod', { isPreview: true });
    const { httpTarget, schedule } = job('dlo-retry-job', preview);
    assert.deepEqual([at(httpTarget, 'uri'), schedule], [unknown, '0 */6 * * *']);
  });
});
