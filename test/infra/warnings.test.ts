import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkSettings } from '../../infra/check-settings.ts';
import type { SettingsInput } from '../../infra/settings.ts';
import { findWarnings } from '../../infra/warnings.ts';
import { plainSettings } from '../support/deployment-program.ts';

const warnings = (own: Partial<SettingsInput>) =>
  findWarnings(checkSettings({ ...plainSettings, ...own })).map((warning) => warning.replace(/[ ,:].*/s, ''));

describe('a stack update', () => {
  it('warns that a function is open to the internet', () => {
    assert.deepEqual(warnings({ captureSecrets: 'sixteen characters' }), ['dlo-signed-capture']);
    assert.deepEqual(warnings({ captureSecrets: 'sixteen characters', ingress: 'ALLOW_INTERNAL_ONLY' }), []);
  });

  it('warns about missing operators and a missing alert address', () => {
    assert.deepEqual(warnings({ operators: [], alertEmail: '' }), ['operators', 'alertEmail']);
  });

  it('is content with an existing notification channel instead of an alert address', () => {
    const notificationChannels = ['projects/acme-test/notificationChannels/42'];
    assert.deepEqual(warnings({ alertEmail: '', notificationChannels }), []);
  });

  it('warns that an instance in another project is not watched', () => {
    const shared = { existingInstance: 'acme-shared:europe-west1:main', maxConnections: 100 };
    assert.deepEqual(warnings(shared), ['Disk']);
  });

  it('logs no warning for a complete configuration', () => {
    assert.deepEqual(warnings({}), []);
  });
});
