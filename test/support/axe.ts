import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Tab } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Lists the serious and critical violations of a page according to axe. */
export async function findViolations({ page }: Tab): Promise<string[]> {
  await page.evaluate(axe);
  // Passed checks are most of the result, and no test reads them.
  const violations = await page.evaluate<{ id: string; impact: string; nodes: { html: string }[] }[]>(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3)}`);
}
