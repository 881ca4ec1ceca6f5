import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { parseStatement, toField } from '../../../shared/database/statement.ts';
import { listedMetrics } from '../../../shared/metrics/metrics.ts';
import { useDatabase } from '../../support/database.ts';
import { useDescribeColumns } from '../../support/describe-columns.ts';
import { readStatement, statementFiles } from '../../support/statements.ts';

describe('a statement of the metrics', () => {
  const describeColumns = useDescribeColumns(() => database().url);
  const database = useDatabase();
  const names = listedMetrics.flatMap(([name, { by = [], of = name }]) => [name, ...by, of]);
  const fields = new Set(names.map(toField));

  it('has no column that is neither a metric nor a label', async () => {
    for (const file of statementFiles.filter((each) => each.startsWith('shared/metrics/'))) {
      const { text } = parseStatement(readStatement(path.basename(file, '.sql')));
      const columns = await describeColumns(text);
      assert.ok(columns.length > 0, file);
      assert.deepEqual(
        columns.filter(({ field }) => !fields.has(field)),
        [],
        file,
      );
    }
  });
});
