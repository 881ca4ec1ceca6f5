import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkSettings } from '../../infra/check-settings.ts';
import type { SettingsInput } from '../../infra/settings.ts';
import { findWarnings } from '../../infra/warnings.ts';
import { plainSettings } from '../support/office-program.ts';

const warnings = (own: Partial<SettingsInput>) =>
  findWarnings(checkSettings({ ...plainSettings, ...own })).map((warning) => warning.replace(/[ ,:].*/s, ''));

describe('an update', () => {
  it('says that something is open to the internet, whenever it is', () => {
    assert.deepEqual(warnings({ captureSecrets: 'sixteen characters' }), ['dlo-signed-capture']);
  });

  it('says that nobody may act, or that nobody is called', () => {
    assert.deepEqual(warnings({ operators: [], alertEmail: '' }), ['operators', 'alertEmail']);
  });

  it('says nothing of an office in which nothing is odd', () => {
    assert.deepEqual(warnings({}), []);
  });
});
