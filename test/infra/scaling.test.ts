import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import { budgetConnections, findOverspending } from '../../infra/connection-budget.ts';
import { type SettingsInput, SettingsSchema } from '../../infra/settings.ts';
import { memoryOf, usualTiers } from '../../infra/tiers.ts';
import { plainSettings } from '../support/office-program.ts';

const guide = readFileSync(path.resolve(import.meta.dirname, '../../docs/scaling.md'), 'utf8');
const settings = (own: Partial<SettingsInput>) => v.parse(SettingsSchema, { ...plainSettings, ...own });

/** How high a setting can be, with all others at their default. */
function mostThatFits(tier: string, setting: 'workers' | 'captureInstances', most: number): number {
  const counts = Array.from({ length: most }, (_, index) => index + 1);
  return counts.findLast((count) => findOverspending(settings({ tier, [setting]: count })).length === 0) ?? 0;
}

describe('the guide to growing', () => {
  it('says of each machine how far it goes', () => {
    const rows = usualTiers.map((tier) => {
      const { allowed, plannable } = budgetConnections(settings({ tier }));
      const gb = ((memoryOf(tier) ?? 0) / 1024).toFixed(1);
      const most = [mostThatFits(tier, 'captureInstances', 1000), mostThatFits(tier, 'workers', 100)];
      return `| ${[`\`${tier}\``, gb, allowed, plannable, ...most].join(' | ')} |`;
    });
    const [, table = ''] = guide.split('<!-- budget -->\n');
    assert.deepEqual(table.split('\n\n')[0]?.split('\n').slice(2), rows);
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
