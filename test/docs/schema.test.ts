import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';
import { code, compareFile, replaceRows } from '../support/renewed-file.ts';

const file = 'docs/schema.md';

describe('docs/schema.md', () => {
  const database = useDatabase();
  const comments = (kinds: string) => `select relname as name, obj_description(oid) as comment from pg_class
    where relnamespace = 'public'::regnamespace and relkind in (${kinds}) and relname <> 'dlq_migrations'
    order by relname`;
  const lists = {
    tables: comments(`'r', 'p'`),
    views: comments(`'v'`),
    functions: `select proname as name, obj_description(oid, 'pg_proc') as comment from pg_proc
      where pronamespace = 'public'::regnamespace and obj_description(oid, 'pg_proc') is not null
      order by proname`,
  };

  for (const [mark, select] of Object.entries(lists)) {
    it(`docs/schema.md lists ${mark} with their comments (update: npm run renew)`, async (t) => {
      const rows = await database().sql<{ name: string; comment: string }>(select);
      const cells = rows.map(({ name, comment }) => [code(name), comment]);
      assert.deepEqual(
        cells.filter(([, comment]) => !comment),
        [],
      );
      compareFile(t, file, (text) => replaceRows(text, mark, cells));
    });
  }

  it('docs/schema.md gives each status the columns that the constraints give it', async () => {
    const rows = await database().sql(
      `with events as (
         insert into dlq_events (event_type, payload, status)
         select 'a', '{}', unnest(array['PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED'])
         returning *
       )
       select concat_ws(' | ', status, is_open::text, is_blocking::text,
         case when lease_token is null then 'null' else 'set' end,
         case when processed_at is null then 'null' else 'set' end) as line
       from events order by id`,
    );
    const page = readFileSync(file, 'utf8');
    const lines = [...page.matchAll(/^\| `([A-Z_]+)`: [^|]+ (\|.+) \|$/gm)].map(
      ([, status, columns]) => `${status} ${columns}`,
    );
    assert.deepEqual(
      lines,
      rows.map(({ line }) => line),
    );
  });
});
