import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SettingsInput } from '../../../infra/settings.ts';
import {
  all,
  at,
  exampleSettings,
  find,
  plainSettings,
  runDeployment,
} from '../../support/deployment-program.ts';
import type { Registered } from '../../support/pulumi-program.ts';

const deployment = await runDeployment(exampleSettings('prod'));
const alerts = all(deployment, 'monitoring/alertPolicy:AlertPolicy');
const condition = ({ inputs }: Registered, key: string) =>
  at(inputs, 'conditions', 0, 'conditionPrometheusQueryLanguage', key);
const alert = (id: string, ran = deployment) =>
  find(ran, 'monitoring/alertPolicy:AlertPolicy', `dlo-monitoring-${id}`);

describe('the alerts about missing ticks', () => {
  it('do not fire in a new deployment', () => {
    const silence = alert('no-first-tick');
    assert.match(
      String(condition(silence, 'query')),
      /\[30m\]\)\) or vector\(0\)\) < 0\.5 unless .*seconds_since_last_tick/,
    );
    assert.equal(condition(silence, 'duration'), `${6.5 * 3600}s`);
    const query = String(condition(alert('no-tick'), 'query'));
    assert.match(query, /seconds_since_last_tick.* > 25200$/);
  });

  it('expect a tick within the longest interval of the schedule plus an hour', async () => {
    const hoursFor = async (settings: Partial<SettingsInput>) => {
      const ran = await runDeployment({ ...plainSettings, ...settings });
      const query = String(condition(alert('no-tick', ran), 'query'));
      return Number(/ > (\d+)$/.exec(query)?.[1]) / 3600;
    };
    assert.equal(await hoursFor({ schedule: '0 3 * * *' }), 25);
    assert.equal(await hoursFor({ schedule: '*/5 9-17 * * 1-5' }), 65);
    assert.equal(await hoursFor({ schedule: '0 3 * * *', alertTickHours: 30 }), 30);
  });

  it('use no window that Cloud Monitoring rejects, whatever the schedule', async () => {
    const monthly = await runDeployment({ ...plainSettings, schedule: '0 0 1 * *' });
    for (const each of all(monthly, 'monitoring/alertPolicy:AlertPolicy')) {
      assert.ok(Number.parseInt(String(condition(each, 'duration')), 10) <= 24 * 3600, each.name);
    }
  });

  it('expect no tick while the schedule is paused', async () => {
    const paused = await runDeployment({ ...plainSettings, paused: true });
    const ids = all(paused, 'monitoring/alertPolicy:AlertPolicy').map(({ name }) => name);
    assert.equal(ids.length, alerts.length - 2);
    assert.deepEqual(
      ids.filter((name) => name.endsWith('-tick')),
      [],
    );
  });
});
