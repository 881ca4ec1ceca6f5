import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import { checkSettings } from '../../infra/check-settings.ts';
import { budgetConnections, findOverspending } from '../../infra/connection-budget.ts';
import { type Settings, SettingsSchema } from '../../infra/settings.ts';
import { connectionsOf, defaultConnections, editionOf, memoryOf } from '../../infra/tiers.ts';
import { ConfigError } from '../../shared/errors.ts';
import { plainSettings } from '../support/deployment-program.ts';

const settings = (own: Partial<Settings> = {}): Settings =>
  v.parse(SettingsSchema, { ...plainSettings, ...own });

describe('the connection budget', () => {
  it('fits the smallest tier by default, with room for one more function', () => {
    const { wanted, allowed, plannable } = budgetConnections(settings({ tier: 'db-f1-micro' }));
    assert.deepEqual([wanted, allowed, plannable], [18, 25, 20]);
  });

  it('counts the connections of every instance of every function', () => {
    const before = budgetConnections(settings()).wanted;
    assert.equal(budgetConnections(settings({ workers: 3 })).wanted, before + 2);
    assert.equal(budgetConnections(settings({ captureInstances: 12 })).wanted, before + 20);
    assert.equal(budgetConnections(settings({ captureSecrets: 'sixteen characters' })).wanted, before + 2);
  });

  it('rejects a deployment whose functions may open too many connections', () => {
    const over = { ...plainSettings, tier: 'db-f1-micro', workers: 10 };
    assert.throws(() => checkSettings(over), ConfigError);
  });

  it('names the settings that would help, with the value to set', () => {
    const over = settings({ tier: 'db-g1-small', captureInstances: 20, workers: 4 });
    const sum = 'The functions may open 58 connections; the budget is 40 of the 50 that the database allows.';
    assert.deepEqual(findOverspending(over), [
      {
        field: 'tier',
        value: 'db-g1-small',
        remedy: `${sum} Raise it to db-custom-1-3840. Or lower captureInstances or workers: each takes 2 connections.`,
      },
    ]);
  });

  it('may be used up, and is raised to the least that is enough', () => {
    const shared = { existingInstance: 'acme:europe-west1:shared', maxConnections: 1 };
    const { wanted } = budgetConnections(settings(shared));
    const maxConnections = Math.ceil(wanted / 0.8);
    assert.deepEqual(findOverspending(settings({ ...shared, maxConnections })), []);
    assert.equal(findOverspending(settings({ ...shared, maxConnections: maxConnections - 1 })).length, 1);
    // 40 connections are what can be planned of the 50 of the next tier.
    const [problem] = findOverspending(settings({ tier: 'db-f1-micro', captureInstances: 11, workers: 4 }));
    assert.match(problem?.remedy ?? '', /may open 40 connections; .* Raise it to db-g1-small\. /);
  });

  it('proposes only values that fit', () => {
    for (const own of [{ workers: 100 }, { captureInstances: 90, workers: 9 }, { captureInstances: 1000 }]) {
      for (const { field, remedy } of findOverspending(settings({ tier: 'db-f1-micro', ...own }))) {
        const [, value] = /Raise it to ([\w-]+)/.exec(remedy) ?? [];
        if (value === undefined) continue;
        const changed = { ...own, [field]: field === 'tier' ? value : Number(value) };
        const after = budgetConnections(settings({ tier: 'db-f1-micro', ...changed }));
        assert.ok(after.wanted <= after.plannable, `${field} = ${value} for ${JSON.stringify(own)}`);
      }
    }
  });

  it('uses maxConnections as the limit of an existing database', () => {
    const shared = settings({ existingInstance: 'acme:europe-west1:shared', maxConnections: 20 });
    assert.deepEqual(
      findOverspending(shared).map(({ field, remedy }) => [field, /Raise it to \d+/.exec(remedy)?.[0]]),
      [['maxConnections', 'Raise it to 23']],
    );
  });
});

describe('a tier', () => {
  it('has the default connection limit of Cloud SQL', () => {
    const limits = defaultConnections.map(({ tier }) => connectionsOf(tier));
    assert.deepEqual(limits, [25, 50, 100, 200, 400, 500, 600, 800, 1000]);
  });

  it('is rejected if it is not named as one of Cloud SQL', () => {
    const none = ['db-n1-standard-1', 'db-custom-2', 'db-custom-2-3840x', 'db-perf-optimized-N-2-7680'];
    for (const tier of none) assert.throws(() => settings({ tier }), /Use db-f1-micro, db-g1-small/);
    assert.equal(memoryOf('db-custom-2-7680'), 7680);
    assert.equal(memoryOf('db-perf-optimized-N-2'), 16_384);
  });

  it('selects its edition, since the default of PostgreSQL 16 has no small tiers', () => {
    assert.equal(editionOf('db-f1-micro'), 'ENTERPRISE');
    assert.equal(editionOf('db-custom-4-15360'), 'ENTERPRISE');
    assert.equal(editionOf('db-perf-optimized-N-4'), 'ENTERPRISE_PLUS');
  });
});
