import { describe, it } from 'node:test';
import { listedMetrics } from '../../shared/metrics/metrics.ts';
import { code, compareTable } from '../support/renewed-file.ts';

describe('docs/metrics.md', () => {
  it('lists each metric with its labels, its chart and its alert (update: npm run renew)', (t) => {
    const rows = listedMetrics.map(([name, { by, of, help, note, chart, alert }]) => [
      code(`dead_letter_${name}`),
      [...(by ?? []), ...(of ? [of] : [])].map(code).join(', '),
      note ? `${help}: ${note}` : help,
      chart || alert ? 'yes' : '',
      alert ? `[${alert.id}](runbook.md#${alert.id})` : '',
    ]);
    compareTable(t, 'docs/metrics.md', 'metrics', rows);
  });
});
