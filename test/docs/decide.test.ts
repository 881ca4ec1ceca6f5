import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { memoryOf } from '../../infra/tiers.ts';

const [, table = ''] = readFileSync('docs/decide.md', 'utf8').split('<!-- monthly cost -->\n');
const [, , ...rows] = (table.split('\n\n')[0] ?? '').split('\n').map((row) =>
  row
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim()),
);
const [tiers = [], retention = [], kept = [], ...costs] = rows;
const perDay = [0.001, 1, 50];
const busyInstances = [0, 1, 3];
const daysPerMonth = 365 / 12;

/** The rows of the table by the prices and sizes that it names; a million events of 3.6 kB are 3.6 GB. */
const expected = perDay.map((millions, i) => {
  const [tier = ''] = /db-[\w-]+/.exec(tiers[i] ?? '') ?? [];
  const copies = /REGIONAL/.test(tiers[i] ?? '') ? 2 : 1;
  const cores = Number(tier.split('-')[2]);
  const [, , months = 0] = (retention[i] ?? '').split(', ').map(Number);
  // The month of an event is dropped after so many further months.
  const days = (months + 1) * daysPerMonth;
  const disk = Math.max(10, millions * days * 3.6);
  const captures = millions * daysPerMonth;
  const costs = [
    copies * (cores * 30.1 + (memoryOf(tier) / 1024) * 5.11),
    copies * disk * 0.17,
    (disk + millions * 7 * 4.4) * 0.08,
    captures * 0.4 + (busyInstances[i] ?? 0) * 68,
    captures * 2.5 * 2 * 0.04,
    9,
  ];
  return { kept: millions * days, costs };
});

describe('docs/decide.md', () => {
  it('adds up what a month costs by its prices', () => {
    for (const [i, month] of expected.entries()) {
      const shown = costs.map((row) => Number(row[i]?.replaceAll('*', '')));
      const sum = shown.pop();
      assert.equal(
        sum,
        shown.reduce((total, cost) => total + cost, 0),
      );
      for (const [row, cost] of month.costs.entries()) {
        const rounded = Math.max(1, cost);
        assert.ok(
          Math.abs((shown[row] ?? 0) - rounded) <= Math.max(1, rounded * 0.02),
          `${i}, ${row}: ${cost}`,
        );
      }
    }
  });

  it('counts the events that its retention keeps', () => {
    for (const [i, { kept: millions }] of expected.entries()) {
      assert.ok(Math.abs(Number(kept[i]) / millions - 1) < 0.06, `${kept[i]}: ${millions}`);
    }
  });
});
