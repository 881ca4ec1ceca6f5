import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';

const cwd = path.resolve(import.meta.dirname, '../../docs');

describe('the documentation', () => {
  const database = useDatabase();
  // The business table from which docs/send.md moves a row.
  before(() => database().sql('create table inbox (id bigint, payload jsonb)'));

  for (const file of globSync('*.md', { cwd }).sort()) {
    const statements = [...readFileSync(path.join(cwd, file), 'utf8').matchAll(/```sql\n(.*?)```/gs)];
    for (const [i, [, statement = '']] of statements.entries()) {
      it(`${file} has a statement ${i + 1} that runs as it stands`, async () => {
        await database().sql(statement);
      });
    }
  }
});
