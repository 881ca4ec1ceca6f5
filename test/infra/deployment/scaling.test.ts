import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import { budgetConnections, findOverspending } from '../../../infra/connection-budget.ts';
import { planFunctions } from '../../../infra/function-plan.ts';
import { type SettingsInput, SettingsSchema } from '../../../infra/settings.ts';
import { defaultConnections, memoryOf } from '../../../infra/tiers.ts';
import { exampleSettings, plainSettings } from '../../support/deployment-program.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const guide = readFileSync(path.join(root, 'docs/scaling.md'), 'utf8');
const settings = (own: Partial<SettingsInput>) => v.parse(SettingsSchema, { ...plainSettings, ...own });

/** Returns the cells of the table after a mark. */
function readRows(mark: string): string[][] {
  const [, table = ''] = guide.split(`<!-- ${mark} -->\n`);
  const rows = table.split('\n\n')[0]?.split('\n').slice(2) ?? [];
  assert.ok(rows.length > 0, mark);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Returns the maximum of a setting, with all others at their defaults. */
function maxThatFits(tier: string, setting: 'workers' | 'captureInstances', max: number): number {
  let [fits, least] = [0, max + 1];
  while (least - fits > 1) {
    const middle = Math.floor((fits + least) / 2);
    if (findOverspending(settings({ tier, [setting]: middle })).length === 0) fits = middle;
    else least = middle;
  }
  return fits;
}

describe('docs/scaling.md', () => {
  it('lists the connections of each function and their sum', () => {
    const plans = planFunctions(settings({ captureSecrets: 'sixteen characters' }));
    const named = readRows('functions').map(([name = '', instances = '', pool]) => [
      /`([\w-]+)`/.exec(name)?.[1],
      Number(/(\d+)\)?$/.exec(instances)?.[1]),
      Number(pool),
    ]);
    assert.deepEqual(
      named,
      plans.map(({ name, instances, pool }) => [name, instances, pool]),
    );
    const { wanted } = budgetConnections(settings({}));
    assert.ok(guide.includes(`By default the sum is ${wanted} with the reserve`));
  });

  it('marks each rate as measured, with its bench, or as an estimate', () => {
    for (const [work, , from = ''] of readRows('rates')) {
      const [, bench] = /^`(bench\/[^`]+)`/.exec(from) ?? [];
      assert.ok(bench ? existsSync(path.join(root, bench)) : from.startsWith('**estimate**: '), work);
    }
  });

  it('lists the limits of each tier', () => {
    const rows = defaultConnections.map(({ tier }) => {
      const { allowed, plannable } = budgetConnections(settings({ tier }));
      const gb = (memoryOf(tier) / 1024).toFixed(1);
      const max = [maxThatFits(tier, 'captureInstances', 1000), maxThatFits(tier, 'workers', 100)];
      return [`\`${tier}\``, gb, allowed, plannable, ...max].map(String);
    });
    assert.deepEqual(readRows('budget'), rows);
  });

  it('adds up the idle cost of the example stacks and of the default', () => {
    const rows = readRows('cost');
    const examples = [exampleSettings('dev'), settings({}), exampleSettings('prod')];
    const columns = examples.map((_, index) => rows.map((row) => row[index + 1] ?? ''));
    for (const [index, { tier, availability }] of examples.entries()) {
      const [machine = '', ...costs] = columns[index] ?? [];
      assert.equal(machine, availability === 'REGIONAL' ? `\`${tier}\`, \`REGIONAL\`` : `\`${tier}\``);
      const sum = costs.pop();
      const added = costs.reduce((total, cost) => total + Number(cost), 0);
      assert.equal(sum, `**${added}**`, tier);
    }
  });

  it('proposes valid settings for 100 million failures a day', () => {
    const large = settings({
      tier: 'db-custom-16-61440',
      workers: 8,
      captureInstances: 20,
      captureSecrets: '',
    });
    const { wanted, plannable } = budgetConnections(large);
    assert.ok(guide.includes(`That is ${wanted} connections of ${plannable}.`), `${wanted} of ${plannable}`);
  });
});
