import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { all, at, find, plainSettings, runOffice } from '../support/office-program.ts';
import { unknown } from '../support/pulumi-program.ts';

const office = await runOffice({ ...plainSettings, timeZone: 'Europe/Berlin', schedule: '30 * * * *' });
const job = (name: string, ran = office) => find(ran, 'cloudscheduler/job:Job', name).inputs;

describe('the schedule', () => {
  it('begins ticks when it is told, in the time zone that it is told', () => {
    const { schedule, timeZone, paused } = job('dlo-retry-job');
    assert.deepEqual(
      { schedule, timeZone, paused },
      { schedule: '30 * * * *', timeZone: 'Europe/Berlin', paused: false },
    );
  });

  it('stands still where the configuration says so, and not by hand', async () => {
    const paused = await runOffice({ ...plainSettings, paused: true });
    assert.deepEqual(
      all(paused, 'cloudscheduler/job:Job').map(({ inputs }) => [inputs.name, inputs.paused]),
      [
        ['dlo-figures', false],
        ['dlo-maintain', false],
        ['dlo-retry', true],
      ],
    );
  });

  it('waits for a tick as long as Scheduler can, and tries again what could not begin', () => {
    assert.equal(job('dlo-retry-job').attemptDeadline, '1800s');
    assert.equal(at(job('dlo-retry-job'), 'retryConfig', 'retryCount'), 3);
  });

  it('calls as somebody who may, with a token for the service and not for the path', () => {
    const audience = 'https://dlo-maintain-abc123-ew.a.run.app';
    assert.deepEqual(job('dlo-figures-job').httpTarget, {
      httpMethod: 'GET',
      uri: `${audience}/metrics`,
      oidcToken: { audience, serviceAccountEmail: 'dlo-figures-schedule@acme-test.iam.gserviceaccount.com' },
    });
  });

  it('does not call before it may', () => {
    const { waitsFor } = find(office, 'cloudscheduler/job:Job', 'dlo-retry-job');
    assert.ok(waitsFor.includes('dlo-retry-schedule-calls'));
  });

  it('is previewed without an address that nobody knows yet', async () => {
    const preview = await runOffice(plainSettings, { isPreview: true });
    const { httpTarget, schedule } = job('dlo-retry-job', preview);
    assert.deepEqual([at(httpTarget, 'uri'), schedule], [unknown, '0 */6 * * *']);
  });
});
