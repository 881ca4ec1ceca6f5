import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import { SettingsSchema } from '../../infra/settings.ts';
import { exampleSettings } from '../support/deployment-program.ts';
import { project, readYaml } from '../support/stack-config.ts';

const root = path.resolve(import.meta.dirname, '../..');
const declared = Object.entries(project.config);
const { project: _project, ...defaults } = v.parse(SettingsSchema, {
  project: 'acme-test',
  deployer: 'user:ana@acme.example',
});

describe('Pulumi.yaml', () => {
  it('declares exactly the settings of the program', () => {
    assert.deepEqual(declared.map(([key]) => key).sort(), Object.keys(defaults).sort());
  });

  it('has the defaults of the component', () => {
    const { deployer: _required, ...optional } = defaults;
    const written = declared.filter(([, { default: value }]) => value !== undefined);
    assert.deepEqual(Object.fromEntries(written.map(([key, { default: value }]) => [key, value])), optional);
  });

  it('gives each setting the type of its default, and a description', () => {
    for (const [key, { type, description, default: value, items }] of declared) {
      assert.match(description ?? '', /^.{15,}$/, key);
      const actual = Array.isArray(value) ? 'array' : typeof value === 'number' ? 'integer' : typeof value;
      if (value !== undefined) assert.equal(type, actual, key);
      assert.equal(items !== undefined, type === 'array', key);
    }
  });

  it('names the program by its file, since Pulumi would otherwise run the functions', () => {
    assert.equal(project.main, 'infra/start.mjs');
    assert.ok(existsSync(path.join(root, project.main)));
  });

  it('compares with Google Cloud in every update, so that a failed update is not taken for done', () => {
    assert.deepEqual(project.options, { refresh: 'always' });
  });

  it('leaves type stripping to Node.js', () => {
    assert.deepEqual(project.runtime, {
      name: 'nodejs',
      options: { packagemanager: 'npm', typescript: false },
    });
  });
});

describe('the example stacks', () => {
  it('are valid as they are', () => {
    assert.equal(exampleSettings('dev').tier, 'db-f1-micro');
    assert.equal(exampleSettings('prod').availability, 'REGIONAL');
  });

  it('are written as pulumi stack init rewrites them: numbers and booleans in quotes', () => {
    for (const stack of ['dev', 'prod']) {
      const { config } = readYaml<{ config: Record<string, unknown> }>(`Pulumi.${stack}.yaml`);
      const bare = Object.entries(config).filter(([, value]) => /number|boolean/.test(typeof value));
      assert.deepEqual(bare, [], stack);
    }
  });

  it('protect the production database only', () => {
    assert.equal(exampleSettings('dev').deletionProtection, false);
    assert.equal(exampleSettings('prod').deletionProtection, true);
  });
});
