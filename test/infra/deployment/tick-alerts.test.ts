import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alertRules } from '../../../infra/alert-rules.ts';
import { checkSettings } from '../../../infra/check-settings.ts';
import type { SettingsInput } from '../../../infra/settings.ts';
import { plainSettings } from '../../support/deployment-program.ts';

/** The rules of a deployment, by id. */
function rulesFor(settings: Partial<SettingsInput> = {}) {
  const checked = checkSettings({ ...plainSettings, ...settings });
  const watched = {
    settings: checked,
    subscriptions: [],
    deadLetterSubscriptions: [],
    instance: undefined,
  };
  return new Map(alertRules(watched).map((rule) => [rule.id, rule]));
}

describe('the alerts about missing ticks', () => {
  it('expect a tick within the longest interval of the schedule plus an hour', () => {
    const hoursFor = (settings: Partial<SettingsInput>) =>
      Number(/ > (\d+)$/.exec(String(rulesFor(settings).get('no-tick')?.query))?.[1]) / 3600;
    assert.equal(hoursFor({ schedule: '0 3 * * *' }), 25);
    assert.equal(hoursFor({ schedule: '*/5 9-17 * * 1-5' }), 65);
    assert.equal(hoursFor({ schedule: '0 0 * * 1' }), 169);
  });

  it('use no window that Cloud Monitoring rejects, whatever the schedule', () => {
    const monthly = [...rulesFor({ schedule: '0 0 1 * *' }).values()];
    assert.deepEqual(
      monthly.filter(({ forSeconds = 0 }) => forSeconds > 24 * 3600),
      [],
    );
  });

  it('expect no tick while the schedule is paused', () => {
    const ids = [...rulesFor({ paused: true }).keys()];
    assert.equal(ids.length, rulesFor().size - 1);
    assert.ok(!ids.includes('no-tick'));
  });
});
