import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import { budgetConnections, findOverspending } from '../../infra/connection-budget.ts';
import { planFunctions } from '../../infra/function-plan.ts';
import { type SettingsInput, SettingsSchema } from '../../infra/settings.ts';
import { memoryOf, usualTiers } from '../../infra/tiers.ts';
import { plainSettings } from '../support/office-program.ts';

const root = path.resolve(import.meta.dirname, '../..');
const guide = readFileSync(path.join(root, 'docs/scaling.md'), 'utf8');
const settings = (own: Partial<SettingsInput>) => v.parse(SettingsSchema, { ...plainSettings, ...own });

/** The cells of the table that follows a mark. */
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

/** How high a setting can be, with all others at their default. */
function mostThatFits(tier: string, setting: 'workers' | 'captureInstances', most: number): number {
  const counts = Array.from({ length: most }, (_, index) => index + 1);
  return counts.findLast((count) => findOverspending(settings({ tier, [setting]: count })).length === 0) ?? 0;
}

describe('the guide to growing', () => {
  it('says of each function how many connections it may hold, and what they come to', () => {
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
    assert.ok(guide.includes(`By default that is ${wanted} with the reserve`));
  });

  it('marks each figure as measured, and where, or as an estimate', () => {
    for (const [work, , from = ''] of readRows('rates')) {
      const [, bench] = /^`(bench\/[^`]+)`/.exec(from) ?? [];
      assert.ok(bench ? existsSync(path.join(root, bench)) : from.startsWith('**estimate**: '), work);
    }
  });

  it('says of each machine how far it goes', () => {
    const rows = usualTiers.map((tier) => {
      const { allowed, plannable } = budgetConnections(settings({ tier }));
      const gb = ((memoryOf(tier) ?? 0) / 1024).toFixed(1);
      const most = [mostThatFits(tier, 'captureInstances', 1000), mostThatFits(tier, 'workers', 100)];
      return [`\`${tier}\``, gb, allowed, plannable, ...most].map(String);
    });
    assert.deepEqual(readRows('budget'), rows);
  });

  it('proposes for a hundred million failures what can be deployed', () => {
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
