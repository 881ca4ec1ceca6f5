import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { parseStatement, toField } from '../../../shared/database/statement.ts';
import { listedMetrics } from '../../../shared/metrics/metrics.ts';
import { useDatabase } from '../../support/database.ts';
import { describeColumns } from '../../support/describe-columns.ts';
import { readStatement, statementFiles } from '../../support/statements.ts';

describe('a statement of the metrics', () => {
  let client: pg.Client;
  // Before the database is lent to the next file, which ends its connections.
  after(() => client.end());
  const database = useDatabase();
  before(async () => {
    client = new pg.Client({ connectionString: database().url });
    await client.connect();
  });
  const names = listedMetrics.flatMap(([name, { by = [], of = name }]) => [name, ...by, of]);
  const fields = new Set(names.map(toField));

  it('has no column that is neither a metric nor a label', async () => {
    for (const file of statementFiles.filter((each) => each.startsWith('shared/metrics/'))) {
      const { text } = parseStatement(readStatement(path.basename(file, '.sql')));
      const columns = await describeColumns(client, text);
      assert.ok(columns.length > 0, file);
      assert.deepEqual(
        columns.filter(({ field }) => !fields.has(field)),
        [],
        file,
      );
    }
  });
});
