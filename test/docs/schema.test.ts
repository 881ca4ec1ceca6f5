import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/schema.md'), 'utf8');

/** The names in the first column of the table below a heading. */
function listNames(heading: string): string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
}

describe('docs/schema.md', () => {
  const database = useDatabase();
  const relations = (...kinds: string[]) =>
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in (${kinds.map((kind) => `'${kind}'`).join(', ')})`;
  const sections = {
    Tables: relations('r', 'p'),
    Views: relations('v'),
    Functions: `select proname as name from pg_proc where pronamespace = 'public'::regnamespace`,
  };

  for (const [heading, select] of Object.entries(sections)) {
    it(`docs/schema.md lists all ${heading.toLowerCase()} of the database and no other`, async () => {
      const rows = await database().sql<{ name: string }>(select);
      assert.deepEqual(listNames(heading).sort(), rows.map(({ name }) => name).sort());
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
    const lines = [...page.matchAll(/^\| `([A-Z_]+)`: [^|]+ (\|.+) \|$/gm)].map(
      ([, status, columns]) => `${status} ${columns}`,
    );
    assert.deepEqual(
      lines,
      rows.map(({ line }) => line),
    );
  });
});
